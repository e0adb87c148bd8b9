// RUN: mlc-opt --hoist-padding %s | filecheck %s
// RUN: mlc-opt --hoist-padding --fuse %s | filecheck %s --check-prefix=FUSED
// RUN: mlc-opt --hoist-padding --remarks %s 2>&1 >%t | filecheck %s --check-prefix=REMARK
// RUN: mlc-opt --hoist-padding --fuse --lower-to-tensor --collapse-dims --lower-to-loops --check-each %s | filecheck %s --check-prefix=LOOPS

// The first convolution stores inside the padded image: a border of three sides, and no copy.
// CHECK-LABEL: @conv
// CHECK-NEXT: graph.conv2d %x, %v
// CHECK-NEXT: %[[R:.*]] = graph.relu
// CHECK-NEXT: %[[P:.*]] = graph.pad %[[R]] low [0, 1, 2, 0] high [0, 2, 0, 0] with 0.000000e+00 : f32
// CHECK-NEXT: graph.conv2d %[[P]], %w {layout = "NHWC"}
// FUSED-LABEL: @conv
// FUSED-NEXT: graph.fusion "conv2d_relu"
// FUSED: graph.pad
// FUSED-NEXT: graph.yield
// LOOPS-LABEL: func.func private @conv2d_relu(
// LOOPS-SAME: %[[OUT:[a-z]+]]: memref<11x10x4xf32> {mlc.output}
// LOOPS-COUNT-3: loop.store %{{.*}}, %[[OUT]]
// LOOPS: arith.select
// LOOPS-NEXT: loop.store %{{.*}}, %[[OUT]][%{{.*}} + 1, %{{.*}} + 2, %{{.*}}]
// LOOPS-NOT: loop.store
// LOOPS: func.return
func.func @conv(%x: tensor<1x10x10x4xf32>, %v: tensor<3x3x4x4xf32>, %w: tensor<3x3x4x4xf32>) -> tensor<1x9x8x4xf32> {
  %0 = graph.conv2d %x, %v {layout = "NHWC"} : tensor<1x10x10x4xf32>, tensor<3x3x4x4xf32> -> tensor<1x8x8x4xf32>
  %1 = graph.relu %0 : tensor<1x8x8x4xf32>
  // REMARK: padding hoisted
  %2 = graph.conv2d %1, %w {padding = array<i64: 1, 2, 2, 0>, layout = "NHWC"} : tensor<1x8x8x4xf32>, tensor<3x3x4x4xf32> -> tensor<1x9x8x4xf32>
  return %2 : tensor<1x9x8x4xf32>
}

// Padding never wins a maximum, of integers neither.
// CHECK-LABEL: @pools
// CHECK: graph.pad %{{.*}} low [0, 0, 1, 0] high [0, 0, 0, 0] with 0xff800000 : f32
// CHECK: graph.pad %{{.*}} low [0, 0, 1, 0] high [0, 0, 0, 0] with -2147483648 : i32
func.func @pools(%x: tensor<1x4x8x8xf32>, %y: tensor<1x4x8x8xi32>) -> (tensor<1x4x4x3xf32>, tensor<1x4x4x3xi32>) {
  %0 = graph.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  %1 = graph.max_pool2d %0 {kernel = array<i64: 2, 2>, padding = array<i64: 1, 0, 0, 0>} : tensor<1x4x4x4xf32> -> tensor<1x4x4x3xf32>
  %2 = graph.max_pool2d %y {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x4x8x8xi32> -> tensor<1x4x4x4xi32>
  %3 = graph.max_pool2d %2 {kernel = array<i64: 2, 2>, padding = array<i64: 1, 0, 0, 0>} : tensor<1x4x4x4xi32> -> tensor<1x4x4x3xi32>
  return %1, %3 : tensor<1x4x4x3xf32>, tensor<1x4x4x3xi32>
}

// An image whose channels come first is copied by a transpose, which stores the border: of the copy, if others read it.
// CHECK-LABEL: @transposed
// CHECK-NEXT: %[[T:.*]] = graph.transpose %x
// CHECK-NEXT: %[[P:.*]] = graph.pad %[[T]] low [0, 1, 1, 0] high [0, 1, 1, 0]
// CHECK-NEXT: graph.conv2d %[[P]]
// FUSED-LABEL: @transposed
// FUSED-NEXT: graph.fusion "transpose_pad"
// FUSED: graph.transpose
// FUSED-NEXT: graph.pad
// FUSED-NEXT: graph.yield
// LOOPS-LABEL: func.func private @transpose_pad(%x: memref<4x8x8xf32>, %out: memref<10x10x4xf32> {mlc.output})
// LOOPS: loop.load %x[%{{.*}}, %{{.*}}, %{{.*}}]
// LOOPS-NEXT: loop.store %{{.*}}, %out[%{{.*}} + 1, %{{.*}} + 1, %{{.*}}]
func.func @transposed(%x: tensor<1x4x8x8xf32>, %w: tensor<3x3x4x4xf32>) -> tensor<1x8x8x4xf32> {
  // REMARK: padding hoisted
  %0 = graph.transpose %x [0, 2, 3, 1] : tensor<1x4x8x8xf32> -> tensor<1x8x8x4xf32>
  %1 = graph.conv2d %0, %w {padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : tensor<1x8x8x4xf32>, tensor<3x3x4x4xf32> -> tensor<1x8x8x4xf32>
  return %1 : tensor<1x8x8x4xf32>
}

// An argument has to be copied by somebody; pixels are better computed in a row; the average pool counts; an image with
// two readers stays as it is.
// CHECK-LABEL: @stays
// CHECK-NOT: graph.pad
func.func @stays(%x: tensor<1x8x8x4xf32>, %z: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x4xf32>, %v: tensor<1x1x4x4xf32>) -> (tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>) {
  // REMARK: padding not hoisted: no convolution with a window, pool or transpose computes the image
  %0 = graph.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : tensor<1x8x8x4xf32>, tensor<3x3x4x4xf32> -> tensor<1x8x8x4xf32>
  // REMARK: padding not hoisted: others read the image too
  %1 = graph.conv2d %0, %w {padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : tensor<1x8x8x4xf32>, tensor<3x3x4x4xf32> -> tensor<1x8x8x4xf32>
  %2 = graph.avg_pool2d %1 {kernel = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : tensor<1x8x8x4xf32> -> tensor<1x8x8x4xf32>
  %3 = graph.conv2d %z, %v {layout = "NHWC"} : tensor<1x8x8x4xf32>, tensor<1x1x4x4xf32> -> tensor<1x8x8x4xf32>
  %4 = graph.relu %3 : tensor<1x8x8x4xf32>
  // REMARK: padding not hoisted: no convolution with a window, pool or transpose computes the image
  %5 = graph.conv2d %4, %w {padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : tensor<1x8x8x4xf32>, tensor<3x3x4x4xf32> -> tensor<1x8x8x4xf32>
  return %0, %2, %5, %1 : tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>
}

// A depthwise convolution of bytes has loops of its own for each border. Where rows are long, the product in front writes
// the border; of short ones it would lose more than that, and f32 has one nest that ends where the image does.
// CHECK-LABEL: @depthwise_of_bytes
// CHECK: %[[LONG:.*]] = graph.pad %{{.*}} low [0, 1, 1, 0] high [0, 1, 1, 0] with 0 : ui8
// CHECK-NEXT: graph.conv2d %[[LONG]], %{{.*}} {groups = 4 : i64, layout = "NHWC"}
// CHECK-NOT: graph.pad
// REMARK: padding hoisted
// REMARK-COUNT-2: padding not hoisted: no convolution with a window, pool or transpose computes the image
func.func @depthwise_of_bytes(%x: tensor<1x28x28x4xui8>, %y: tensor<1x27x27x4xui8>, %z: tensor<1x28x28x4xf32>, %w: tensor<3x3x1x4xi8>, %v: tensor<1x1x4x4xi8>, %wf: tensor<3x3x1x4xf32>, %vf: tensor<1x1x4x4xf32>) -> (tensor<1x28x28x4xi32>, tensor<1x27x27x4xi32>, tensor<1x28x28x4xf32>) {
  %0 = graph.conv2d %x, %v {layout = "NHWC"} : tensor<1x28x28x4xui8>, tensor<1x1x4x4xi8> -> tensor<1x28x28x4xi32>
  %1 = graph.cast %0 : tensor<1x28x28x4xi32> -> tensor<1x28x28x4xui8>
  %2 = graph.conv2d %1, %w {padding = array<i64: 1, 1, 1, 1>, groups = 4 : i64, layout = "NHWC"} : tensor<1x28x28x4xui8>, tensor<3x3x1x4xi8> -> tensor<1x28x28x4xi32>
  %3 = graph.conv2d %y, %v {layout = "NHWC"} : tensor<1x27x27x4xui8>, tensor<1x1x4x4xi8> -> tensor<1x27x27x4xi32>
  %4 = graph.cast %3 : tensor<1x27x27x4xi32> -> tensor<1x27x27x4xui8>
  %5 = graph.conv2d %4, %w {padding = array<i64: 1, 1, 1, 1>, groups = 4 : i64, layout = "NHWC"} : tensor<1x27x27x4xui8>, tensor<3x3x1x4xi8> -> tensor<1x27x27x4xi32>
  %6 = graph.conv2d %z, %vf {layout = "NHWC"} : tensor<1x28x28x4xf32>, tensor<1x1x4x4xf32> -> tensor<1x28x28x4xf32>
  %7 = graph.conv2d %6, %wf {padding = array<i64: 1, 1, 1, 1>, groups = 4 : i64, layout = "NHWC"} : tensor<1x28x28x4xf32>, tensor<3x3x1x4xf32> -> tensor<1x28x28x4xf32>
  return %2, %5, %7 : tensor<1x28x28x4xi32>, tensor<1x27x27x4xi32>, tensor<1x28x28x4xf32>
}
