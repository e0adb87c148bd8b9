// RUN: mlc-opt %s --convert-tensor-to-loop --check-each | filecheck %s

// A contraction of groups is computed where the sum over groups needs it; weights of i8 are widened there.

// CHECK-LABEL: @groups
// CHECK-NOT:     memref.alloc
// CHECK:         loop.for serial "g"
// CHECK-NEXT:      arith.constant 0
// CHECK-NEXT:      loop.for serial "k"
// CHECK:             %[[I:.*]] = arith.extsi %{{.*}} : i8 to i32
// CHECK-NEXT:        %[[F:.*]] = arith.sitofp %[[I]] : i32 to f32
// CHECK-NEXT:        math.fma %{{.*}}, %[[F]]
// CHECK:           math.fma
func.func private @groups(%x: tensor<16xf32>, %w: tensor<16x5xi8>, %s: tensor<2x5xf32>) -> tensor<5xf32> {
  %0 = tensor.contract %x[g * 8 + k], %w[g * 8 + k, n] over (g: 2, n: 5) reduce (k: 8) : tensor<16xf32>, tensor<16x5xi8> -> tensor<2x5xf32>
  %1 = tensor.contract %0[g, n], %s[g, n] over (n: 5) reduce (g: 2) : tensor<2x5xf32>, tensor<2x5xf32> -> tensor<5xf32>
  return %1 : tensor<5xf32>
}

// Not a reduction of another kind.

// CHECK-LABEL: @maxima
// CHECK:         memref.alloc
func.func private @maxima(%x: tensor<2x5x8xf32>, %s: tensor<2x5xf32>) -> tensor<5xf32> {
  %0 = tensor.reduce max %x[g, n, k] over (g: 2, n: 5) reduce (k: 8) : tensor<2x5x8xf32> -> tensor<2x5xf32>
  %1 = tensor.contract %0[g, n], %s[g, n] over (n: 5) reduce (g: 2) : tensor<2x5xf32>, tensor<2x5xf32> -> tensor<5xf32>
  return %1 : tensor<5xf32>
}

func.func @main(%x: tensor<16xf32>, %w: tensor<16x5xi8>, %s: tensor<2x5xf32>, %z: tensor<2x5x8xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = call @groups(%x, %w, %s) : (tensor<16xf32>, tensor<16x5xi8>, tensor<2x5xf32>) -> tensor<5xf32>
  %1 = call @maxima(%z, %s) : (tensor<2x5x8xf32>, tensor<2x5xf32>) -> tensor<5xf32>
  return %0, %1 : tensor<5xf32>, tensor<5xf32>
}
