// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @take
func.func @take(%data: tensor<2x10x4xf32>, %rows: tensor<3xi32>, %yx: tensor<5x2xi64>) {
  // CHECK-NEXT: tensor.take %data[b, i, n] at (i = %rows[m]) over (b: 2, m: 3, n: 4) : tensor<2x10x4xf32>, tensor<3xi32> -> tensor<2x3x4xf32>
  %0 = tensor.take %data[b, i, n] at (i = %rows[m]) over (b: 2, m: 3, n: 4)
     : tensor<2x10x4xf32>, tensor<3xi32> -> tensor<2x3x4xf32>
  // Several coordinates, in an order of their own; expressions in dims beside them.
  // CHECK-NEXT: tensor.take %data[j, m * 2 + 1, i] at (i = %yx[m, 0], j = %yx[m, 1]) over (m: 5) {my.note = 1 : i64} : tensor<2x10x4xf32>, tensor<5x2xi64>, tensor<5x2xi64> -> tensor<5xf32>
  %1 = tensor.take %data[j, m * 2 + 1, i] at (i = %yx[m, 0], j = %yx[m, 1]) over (m: 5) {my.note = 1 : i64}
     : tensor<2x10x4xf32>, tensor<5x2xi64>, tensor<5x2xi64> -> tensor<5xf32>
  return
}

// One element, and none.
// CHECK-LABEL: @few
func.func @few(%data: tensor<3xf32>, %at: tensor<i64>, %none: tensor<0xi64>, %empty: tensor<0xf32>) {
  // CHECK-NEXT: tensor.take %data[i] at (i = %at[]) over () : tensor<3xf32>, tensor<i64> -> tensor<f32>
  %0 = tensor.take %data[i] at (i = %at[]) over () : tensor<3xf32>, tensor<i64> -> tensor<f32>
  // CHECK-NEXT: tensor.take %empty[i] at (i = %none[n]) over (n: 0) : tensor<0xf32>, tensor<0xi64> -> tensor<0xf32>
  %1 = tensor.take %empty[i] at (i = %none[n]) over (n: 0) : tensor<0xf32>, tensor<0xi64> -> tensor<0xf32>
  return
}
