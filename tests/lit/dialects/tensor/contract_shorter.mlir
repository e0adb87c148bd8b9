// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --lower-to-loops --check-each | filecheck %s --check-prefix=LOOPS

// Operands may be shorter than the result. Each is widened in front of the product, with its sign or with zeros.

// CHECK-LABEL: @mixed
// CHECK-NEXT:    tensor.contract %x[m, k], %w[k, n] over (m: 2, n: 3) reduce (k: 4) {unsigned = array<i64: 0>} : tensor<2x4xi8>, tensor<4x3xi8> -> tensor<2x3xi32>
// LOOPS-LABEL: @mixed
// LOOPS:         %[[A:.*]] = loop.load %x
// LOOPS-NEXT:    %[[B:.*]] = loop.load %w
// LOOPS-NEXT:    %[[WIDE:.*]] = arith.extui %[[A]] : i8 to i32
// LOOPS-NEXT:    %[[OTHER:.*]] = arith.extsi %[[B]] : i8 to i32
// LOOPS-NEXT:    %[[P:.*]] = arith.muli %[[WIDE]], %[[OTHER]]
// LOOPS-NEXT:    arith.addi
func.func @mixed(%x: tensor<2x4xi8>, %w: tensor<4x3xi8>) -> tensor<2x3xi32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 2, n: 3) reduce (k: 4) {unsigned = array<i64: 0>} : tensor<2x4xi8>, tensor<4x3xi8> -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// One of them may have the type of the result.

// LOOPS-LABEL: @one
// LOOPS:         %[[A:.*]] = loop.load %x
// LOOPS-NEXT:    %[[B:.*]] = loop.load %w
// LOOPS-NEXT:    %[[WIDE:.*]] = arith.extui %[[B]] : i16 to i32
// LOOPS-NEXT:    arith.muli %[[A]], %[[WIDE]]
func.func @one(%x: tensor<2x4xi32>, %w: tensor<4x3xi16>) -> tensor<2x3xi32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 2, n: 3) reduce (k: 4) {unsigned = array<i64: 1>} : tensor<2x4xi32>, tensor<4x3xi16> -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// LOOPS-LABEL: @floats
// LOOPS:         arith.extf %{{.*}} : bf16 to f32
// LOOPS-NEXT:    arith.extf %{{.*}} : f16 to f32
// LOOPS-NEXT:    math.fma
func.func @floats(%x: tensor<2x4xbf16>, %w: tensor<4x3xf16>) -> tensor<2x3xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 2, n: 3) reduce (k: 4) : tensor<2x4xbf16>, tensor<4x3xf16> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
