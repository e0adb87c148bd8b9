// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @put
func.func @put(%x: tensor<10x4xf32>, %rows: tensor<3xi32>, %u: tensor<3x4xf32>) {
  // CHECK-NEXT: tensor.put set %u into %x[i, n] at (i = %rows[m]) over (m: 3, n: 4) : tensor<3x4xf32>, tensor<10x4xf32>, tensor<3xi32> -> tensor<10x4xf32>
  %0 = tensor.put set %u into %x[i, n] at (i = %rows[m]) over (m: 3, n: 4)
     : tensor<3x4xf32>, tensor<10x4xf32>, tensor<3xi32> -> tensor<10x4xf32>
  // CHECK-NEXT: tensor.put max %u into %x[n * 2, i] at (i = %rows[m]) over (m: 3, n: 4) {my.note = 1 : i64} : tensor<3x4xf32>
  %1 = tensor.put max %u into %x[n * 2, i] at (i = %rows[m]) over (m: 3, n: 4) {my.note = 1 : i64}
     : tensor<3x4xf32>, tensor<10x4xf32>, tensor<3xi32> -> tensor<10x4xf32>
  return
}
