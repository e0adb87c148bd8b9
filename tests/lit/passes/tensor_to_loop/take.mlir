// RUN: mlc-opt %s --lower-to-loops | filecheck %s

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
  %0 = tensor.take %data, %rows : tensor<2x10x4xf32>, tensor<3xi32> -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
