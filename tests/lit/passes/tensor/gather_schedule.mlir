// RUN: mlc-opt %s --schedule="target=x86-64-v3 estimates=false" --remarks 2>&1 | filecheck %s
// RUN: mlc-opt %s --schedule="target=x86-64-v3" --lower-to-loops --apply-schedule --check-each | filecheck %s --check-prefix=LOOPS

// A sum of floats that do not follow each other is no vector in LLVM: results side by side are.
// CHECK-NOT: remark
// CHECK-LABEL: @third
// CHECK-SAME: schedule = #loop.schedule<[tile(m, 8), vectorize(mi, 8)]>
// LOOPS-LABEL: @third
// LOOPS: loop.load %x[%m, %k * 3] along 0 : {{.*}} vector<8xf32>
func.func private @third(%x: tensor<16x150xf32>) -> tensor<16xf32> {
  %0 = tensor.reduce add %x[m, k * 3] over (m: 16) reduce (k: 50) : tensor<16x150xf32> -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// CHECK-LABEL: @diagonal
// CHECK-SAME: schedule = #loop.schedule<[tile(b, 8), vectorize(bi, 8)]>
func.func private @diagonal(%x: tensor<9x20x20xf32>) -> tensor<9xf32> {
  %0 = tensor.reduce max %x[b, k, k] over (b: 9) reduce (k: 20) : tensor<9x20x20xf32> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// One result has vectors of terms.
// CHECK-LABEL: @all
// CHECK-SAME: schedule = #loop.schedule<[vectorize_reduction(k, 8)]>
// LOOPS-LABEL: @all
// LOOPS: vector.reduction
func.func private @all(%x: tensor<150xf32>) -> tensor<f32> {
  %0 = tensor.reduce add %x[k * 3] over () reduce (k: 50) : tensor<150xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
