// RUN: mlc-opt %s --convert-tensor-to-loop | filecheck %s

// The index is read and put in range once per row.
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME: %[[DATA:.*]]: memref<2x10x4xf32>, %[[ROWS:.*]]: memref<3xi32>, %[[OUT:.*]]: memref<2x3x4xf32>
// CHECK-NEXT: loop.for parallel "b" %[[B:.*]] = 0 to 2 {
// CHECK-NEXT: loop.for parallel "m" %[[M:.*]] = 0 to 3 {
// CHECK-NEXT: %[[I:.*]] = loop.load %[[ROWS]][%[[M]]] : memref<3xi32>
// CHECK-NEXT: %[[J:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[J]]
// CHECK-NEXT: arith.select %[[NEGATIVE]]
// CHECK-NEXT: arith.maxsi
// CHECK-NEXT: arith.minsi
// CHECK-NEXT: %[[ROW:.*]] = arith.index_cast
// CHECK-NEXT: loop.for parallel "n" %[[N:.*]] = 0 to 4 {
// CHECK-NEXT: %[[X:.*]] = loop.load %[[DATA]][%[[B]], %[[ROW]], %[[N]]]
// CHECK-NEXT: loop.store %[[X]], %[[OUT]][%[[B]], %[[M]], %[[N]]]
func.func private @rows(%data: tensor<2x10x4xf32>, %rows: tensor<3xi32>) -> tensor<2x3x4xf32> {
  %0 = tensor.take %data[b, i, n] at (i = %rows[m]) over (b: 2, m: 3, n: 4) : tensor<2x10x4xf32>, tensor<3xi32> -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// Each coordinate is read where the last dim that it depends on has its loop, one that depends on none in front of all.
// CHECK-LABEL: func.func private @points(
// CHECK-NEXT: %[[Z:.*]] = loop.load %z[0] : memref<1xi64>
// CHECK: loop.for parallel "m" %[[M:.*]] = 0 to 3 {
// CHECK-NEXT: loop.load %yx[%[[M]], 0]
// CHECK: loop.for parallel "n" %[[N:.*]] = 0 to 4 {
// CHECK-NEXT: loop.load %c[%[[N]], %[[M]]]
// CHECK: loop.load %data[%{{.*}}, %[[N]] + 2, %{{.*}}, %{{.*}}]
// CHECK-NEXT: loop.store
func.func private @points(%data: tensor<2x6x7x5xf32>, %z: tensor<1xi64>, %yx: tensor<3x2xi64>, %c: tensor<4x3xi32>) -> tensor<3x4xf32> {
  %0 = tensor.take %data[j, n + 2, i, k] at (j = %z[0], i = %yx[m, 0], k = %c[n, m]) over (m: 3, n: 4) : tensor<2x6x7x5xf32>, tensor<1xi64>, tensor<3x2xi64>, tensor<4x3xi32> -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
