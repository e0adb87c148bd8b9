// What is computed in a loop nest for an op that has no buffer stands where that op stands, not where the result is
// stored.

// RUN: mlc-opt %s --convert-tensor-to-loop --print-debuginfo | filecheck %s

// CHECK:      loop.for serial "k"
// CHECK-NEXT:   loop.load %x{{.*}} loc("model.py":7:1)
// CHECK-NEXT:   loop.load %w{{.*}} loc("model.py":7:1)
// CHECK-NEXT:   math.fma {{.*}} loc("model.py":7:1)
// CHECK-NEXT:   loop.yield {{.*}} loc("model.py":7:1)
// CHECK-NEXT: } loc("model.py":7:1)
// CHECK-NEXT: arith.negf {{.*}} loc("model.py":9:1)
// CHECK-NEXT: loop.store {{.*}} loc("model.py":8:1)
func.func private @kernel(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 4, n: 6) reduce (k: 8) : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32> loc("model.py":7:1)
  %1 = tensor.map %0[m, n] over (m: 4, n: 6) : tensor<4x6xf32> -> tensor<4x6xf32> {
  ^bb0(%a: f32):
    %b = arith.negf %a : f32 loc("model.py":9:1)
    tensor.yield %b : f32
  } loc("model.py":8:1)
  return %1 : tensor<4x6xf32>
}
