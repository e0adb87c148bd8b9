// RUN: mlc-opt --use-winograd=target=x86-64-v4 --remarks %s | filecheck %s
// RUN: mlc-opt --use-winograd=target=x86-64-v4 --remarks %s -o /dev/null 2>&1 | filecheck %s --check-prefix REMARK
// RUN: mlc-opt -O3 --emit=mlir:graph %s | filecheck %s --check-prefix EXACT
// RUN: mlc-opt -O3 --accuracy=fast --target=x86-64-v4 --emit=mlir:tensor %s | filecheck %s --check-prefix FAST
// RUN: mlc-opt --use-winograd="target=x86-64-v4 tile=2" %s | filecheck %s --check-prefix TWO

// EXACT-NOT: winograd
// FAST-LABEL: @rewritten
// FAST: call @winograd_input

// CHECK-LABEL: @rewritten
// TWO-LABEL: @rewritten
func.func @rewritten(%x: tensor<1x10x11x32xf32>) -> tensor<1x10x11x32xf32> {
  // CHECK-NEXT: %[[P:.*]] = graph.pad %x low [0, 1, 1, 0] high [0, 3, 2, 0] with 0.000000e+00 : f32 : tensor<1x10x11x32xf32> -> tensor<1x14x14x32xf32>
  // CHECK-NEXT: %[[V:.*]] = graph.winograd_input %[[P]] tile 4 : tensor<1x14x14x32xf32> -> tensor<36x1x3x3x32xf32>
  // CHECK-NEXT: %[[U:.*]] = graph.constant dense_resource<{{.*}}winograd4{{.*}}> : tensor<36x32x32xf32>
  // CHECK-NEXT: %[[V1:.*]] = graph.reshape %[[V]] : tensor<36x1x3x3x32xf32> -> tensor<36x9x32xf32>
  // CHECK-NEXT: %[[M:.*]] = graph.matmul %[[V1]], %[[U]]
  // CHECK-NEXT: %[[M1:.*]] = graph.reshape %[[M]] : tensor<36x9x32xf32> -> tensor<36x1x3x3x32xf32>
  // CHECK-NEXT: %[[Y:.*]] = graph.winograd_output %[[M1]] tile 4 size [10, 11] : tensor<36x1x3x3x32xf32> -> tensor<1x10x11x32xf32>
  // CHECK-NEXT: return %[[Y]]
  // REMARK: use_winograd.mlir:[[# @LINE + 4]]:8: remark: estimated speed, direct = 1: F(2 x 2, 3 x 3) {{.*}}, F(4 x 4, 3 x 3) {{.*}}; computed by Winograd's F(4 x 4, 3 x 3)
  // TWO: graph.pad %x low [0, 1, 1, 0] high [0, 1, 2, 0]
  // TWO: graph.winograd_output %{{.*}} tile 2 size [10, 11] : tensor<16x1x5x6x32xf32>
  %w = graph.constant dense<0.5> : tensor<3x3x32x32xf32>
  %y = graph.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : tensor<1x10x11x32xf32>, tensor<3x3x32x32xf32> -> tensor<1x10x11x32xf32>
  return %y : tensor<1x10x11x32xf32>
}

// CHECK-LABEL: @refused
// CHECK-NOT: graph.winograd
// CHECK: return
func.func @refused(%x: tensor<1x12x12x32xf32>, %i: tensor<1x12x12x32xi32>, %v: tensor<3x3x32x32xf32>, %c: tensor<1x32x12x12xf32>) {
  %five = graph.constant dense<0.5> : tensor<5x5x32x32xf32>
  // REMARK: remark: not by Winograd's filtering: the window is 5 x 5; required: 3 x 3
  %0 = graph.conv2d %x, %five {layout = "NHWC"} : tensor<1x12x12x32xf32>, tensor<5x5x32x32xf32> -> tensor<1x8x8x32xf32>
  %w = graph.constant dense<0.5> : tensor<3x3x32x32xf32>
  // REMARK: remark: not by Winograd's filtering: strides [2, 2] and dilations [1, 1]; required: 1
  %1 = graph.conv2d %x, %w {strides = array<i64: 2, 2>, layout = "NHWC"} : tensor<1x12x12x32xf32>, tensor<3x3x32x32xf32> -> tensor<1x5x5x32xf32>
  // REMARK: remark: not by Winograd's filtering: strides [1, 1] and dilations [2, 2]; required: 1
  %2 = graph.conv2d %x, %w {dilations = array<i64: 2, 2>, layout = "NHWC"} : tensor<1x12x12x32xf32>, tensor<3x3x32x32xf32> -> tensor<1x8x8x32xf32>
  %g = graph.constant dense<0.5> : tensor<3x3x16x32xf32>
  // REMARK: remark: not by Winograd's filtering: 2 groups; required: 1
  %3 = graph.conv2d %x, %g {groups = 2 : i64, layout = "NHWC"} : tensor<1x12x12x32xf32>, tensor<3x3x16x32xf32> -> tensor<1x10x10x32xf32>
  %n = graph.constant dense<2> : tensor<3x3x32x32xi32>
  // REMARK: remark: not by Winograd's filtering: elements of type i32; required: f32 or f64
  %4 = graph.conv2d %i, %n {layout = "NHWC"} : tensor<1x12x12x32xi32>, tensor<3x3x32x32xi32> -> tensor<1x10x10x32xi32>
  // REMARK: remark: not by Winograd's filtering: the weights are not constant
  %5 = graph.conv2d %x, %v {layout = "NHWC"} : tensor<1x12x12x32xf32>, tensor<3x3x32x32xf32> -> tensor<1x10x10x32xf32>
  %f = graph.constant dense<0.5> : tensor<32x32x3x3xf32>
  // REMARK: remark: not by Winograd's filtering: layout NCHW; required: NHWC
  %6 = graph.conv2d %c, %f : tensor<1x32x12x12xf32>, tensor<32x32x3x3xf32> -> tensor<1x32x10x10xf32>
  return
}

// Transforms of few channels move more than products save.
// CHECK-LABEL: @few_channels
// CHECK-NOT: graph.winograd
// CHECK: return
func.func @few_channels(%x: tensor<1x12x12x3xf32>) -> tensor<1x10x10x4xf32> {
  // REMARK: remark: not by Winograd's filtering: estimated speed, direct = 1: F(2 x 2, 3 x 3) 0.{{.*}}, F(4 x 4, 3 x 3) 0.
  %w = graph.constant dense<0.5> : tensor<3x3x3x4xf32>
  %y = graph.conv2d %x, %w {layout = "NHWC"} : tensor<1x12x12x3xf32>, tensor<3x3x3x4xf32> -> tensor<1x10x10x4xf32>
  return %y : tensor<1x10x10x4xf32>
}
