// RUN: mlc-opt %s --widen-factors --target=haswell --check-each --remarks 2>%t | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file %t
// RUN: mlc-opt %s --widen-factors=precision=keep --target=haswell | filecheck %s --check-prefix=BYTES
// RUN: mlc-opt %s --widen-factors --target=alderlake | filecheck %s --check-prefix=VNNI
// RUN: mlc-opt %s --widen-factors --target=cortex-a72 | filecheck %s --check-prefix=BYTES
// RUN: not mlc-opt %s --widen-factors=precision=f8 2>&1 | filecheck %s --check-prefix=WRONG
// WRONG: error: widen-factors: found precision 'f8'; required: f32, bf16 or keep
// BYTES-NOT: i16

// Two products read the same numbers in 16 bits, and an elementwise op makes bytes of these again.
// CHECK-LABEL: @shared
// VNNI-NOT:   xi16
// CHECK:      %[[Q:.*]] = graph.quantize
// CHECK-NEXT: %[[WIDE:.*]] = graph.cast %[[Q]] : tensor<64x64xui8> -> tensor<64x64xi16>
// CHECK-NEXT: %[[BACK:.*]] = graph.cast %[[WIDE]] : tensor<64x64xi16> -> tensor<64x64xui8>
// CHECK:      %[[W:.*]] = graph.constant dense_resource<w> : tensor<64x64xi16>
// CHECK-NEXT: graph.matmul %[[WIDE]], %[[W]] : tensor<64x64xi16>, tensor<64x64xi16> -> tensor<64x64xi32>
// CHECK:      graph.matmul %[[WIDE]], {{.*}} : tensor<64x64xi16>, tensor<64x64xi16> -> tensor<64x64xi32>
// CHECK-NEXT: graph.dequantize %[[BACK]]
// REMARK:      widen_factors.mlir:{{[0-9]+}}:8: remark: factors are stored in 16 bits: estimated {{[0-9,]+}} cycles in 8 bits, {{[0-9,]+}} cycles in 16 bits
// REMARK-NEXT: widen_factors.mlir:{{[0-9]+}}:8: remark: factors are stored in 16 bits: estimated
func.func @shared(%x: tensor<64x64xf32>) -> (tensor<64x64xi32>, tensor<64x64xi32>, tensor<64x64xf32>) {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %w = graph.constant dense<-128> : tensor<64x64xi8>
  %v = graph.constant dense<127> : tensor<64x64xi8>
  %q = graph.quantize %x, %s, %z : tensor<64x64xf32>, tensor<f32>, tensor<ui8> -> tensor<64x64xui8>
  %y = graph.matmul %q, %w : tensor<64x64xui8>, tensor<64x64xi8> -> tensor<64x64xi32>
  %u = graph.matmul %q, %v : tensor<64x64xui8>, tensor<64x64xi8> -> tensor<64x64xi32>
  %f = graph.dequantize %q, %s, %z : tensor<64x64xui8>, tensor<f32>, tensor<ui8> -> tensor<64x64xf32>
  return %y, %u, %f : tensor<64x64xi32>, tensor<64x64xi32>, tensor<64x64xf32>
}

// What is moved for a product alone becomes wider before: who computes it stores it so, and moves are the same.
// Words of two numbers with signs are none that AVX-VNNI multiplies.
// CHECK-LABEL: @moved
// VNNI-LABEL: @moved
// CHECK:      %[[WIDE:.*]] = graph.cast %x : tensor<8x8x64xi8> -> tensor<8x8x64xi16>
// CHECK:      %[[IMAGE:.*]] = graph.reshape %[[WIDE]] : tensor<8x8x64xi16> -> tensor<1x8x8x64xi16>
// CHECK-NEXT: %[[PADDED:.*]] = graph.pad %[[IMAGE]] low [0, 1, 1, 0] high [0, 1, 1, 0] with -3 : i16 : tensor<1x8x8x64xi16> -> tensor<1x10x10x64xi16>
// CHECK-NOT:  graph.pad
// VNNI:       tensor<1x10x10x64xi16>, tensor<3x3x64x32xi16> -> tensor<1x8x8x32xi32>
// VNNI-NOT:   xi16
// CHECK:      graph.conv2d %[[PADDED]], {{.*}} : tensor<1x10x10x64xi16>, tensor<3x3x64x32xi16> -> tensor<1x8x8x32xi32>
func.func @moved(%x: tensor<8x8x64xi8>) -> tensor<1x8x8x32xi32> {
  %w = graph.constant dense<-128> : tensor<3x3x64x32xi8>
  %image = graph.reshape %x : tensor<8x8x64xi8> -> tensor<1x8x8x64xi8>
  %padded = graph.pad %image low [0, 1, 1, 0] high [0, 1, 1, 0] with -3 : i8 : tensor<1x8x8x64xi8> -> tensor<1x10x10x64xi8>
  %y = graph.conv2d %padded, %w {layout = "NHWC"} : tensor<1x10x10x64xi8>, tensor<3x3x64x32xi8> -> tensor<1x8x8x32xi32>
  return %y : tensor<1x8x8x32xi32>
}

// What others read that do not map points stays as it is, beside what is wider.
// CHECK-LABEL: @returned
// CHECK:      %[[Q:.*]] = graph.add
// CHECK-NEXT: %[[WIDE:.*]] = graph.cast %[[Q]] : tensor<64x64xui8> -> tensor<64x64xi16>
// CHECK:      graph.matmul %[[WIDE]],
// CHECK:      return %{{.*}}, %[[Q]] :
func.func @returned(%x: tensor<64x64xui8>) -> (tensor<64x64xi32>, tensor<64x64xui8>) {
  %w = graph.constant dense<127> : tensor<64x64xi8>
  %q = graph.add %x, %x : tensor<64x64xui8>, tensor<64x64xui8> -> tensor<64x64xui8>
  %y = graph.matmul %q, %w : tensor<64x64xui8>, tensor<64x64xi8> -> tensor<64x64xi32>
  return %y, %q : tensor<64x64xi32>, tensor<64x64xui8>
}

// Sums of two products of small weights fit in 16 bits.
// CHECK-LABEL: @small
// CHECK-NOT:  i16
// REMARK:     widen_factors.mlir:{{[0-9]+}}:8: remark: factors stay in 8 bits: estimated
func.func @small(%x: tensor<64x64xui8>) -> tensor<64x64xi32> {
  %w = graph.constant dense<-64> : tensor<64x64xi8>
  %y = graph.matmul %x, %w : tensor<64x64xui8>, tensor<64x64xi8> -> tensor<64x64xi32>
  return %y : tensor<64x64xi32>
}

// A row waits for its weights; words are made of constants; channels of their own become pairs in the kernel; an i32
// is no byte, and a sum of 8 bits is another one.
// CHECK-LABEL: @stay
// CHECK-NOT:  i16
// REMARK:     widen_factors.mlir:{{[0-9]+}}:8: remark: factors stay in 8 bits: estimated
// REMARK:     widen_factors.mlir:{{[0-9]+}}:8: remark: factors stay in 8 bits: the second one is not a constant
// REMARK-NOT: remark
func.func @stay(%x: tensor<1x4096xui8>, %y: tensor<64x64xui8>, %z: tensor<64x64xi8>, %i: tensor<1x8x8x64xui8>, %l: tensor<64x64xi32>)
    -> (tensor<1x4096xi32>, tensor<64x64xi32>, tensor<1x6x6x64xi32>, tensor<64x64xi32>, tensor<64x64xi8>) {
  %u = graph.constant dense<1> : tensor<64x64xi8>
  %w = graph.constant dense<1> : tensor<4096x4096xi8>
  %v = graph.constant dense<1> : tensor<3x3x1x64xi8>
  %0 = graph.matmul %x, %w : tensor<1x4096xui8>, tensor<4096x4096xi8> -> tensor<1x4096xi32>
  %1 = graph.matmul %y, %z : tensor<64x64xui8>, tensor<64x64xi8> -> tensor<64x64xi32>
  %2 = graph.conv2d %i, %v {layout = "NHWC", groups = 64 : i64} : tensor<1x8x8x64xui8>, tensor<3x3x1x64xi8> -> tensor<1x6x6x64xi32>
  %3 = graph.matmul %l, %l : tensor<64x64xi32>, tensor<64x64xi32> -> tensor<64x64xi32>
  %4 = graph.matmul %z, %u : tensor<64x64xi8>, tensor<64x64xi8> -> tensor<64x64xi8>
  return %0, %1, %2, %3, %4 : tensor<1x4096xi32>, tensor<64x64xi32>, tensor<1x6x6x64xi32>, tensor<64x64xi32>, tensor<64x64xi8>
}
