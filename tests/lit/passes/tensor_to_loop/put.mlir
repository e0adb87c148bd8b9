// RUN: mlc-opt %s --convert-tensor-to-loop --check-each | filecheck %s

// The loop over places is serial: two of them may be the same. A row is told to be in range by clamping changing nothing.
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME: %[[U:.*]]: memref<3x4xf32>, %[[X:.*]]: memref<10x4xf32>, %[[ROWS:.*]]: memref<3xi64>, %[[OUT:.*]]: memref<10x4xf32>
// CHECK-NEXT: loop.for parallel "d0"
// CHECK-NEXT: loop.for parallel "d1"
// CHECK-NEXT: loop.load %[[X]]
// CHECK-NEXT: loop.store %{{.*}}, %[[OUT]]
// CHECK: loop.for serial "m" %[[M:.*]] = 0 to 3 {
// CHECK-NEXT: %[[I:.*]] = loop.load %[[ROWS]][%[[M]]]
// CHECK: %[[WRAPPED:.*]] = arith.select
// CHECK: %[[CLAMPED:.*]] = arith.minsi
// CHECK-NEXT: %[[ROW:.*]] = arith.index_cast
// CHECK-NEXT: loop.for parallel "n" %[[N:.*]] = 0 to 4 {
// CHECK-NEXT: %[[NEW:.*]] = loop.load %[[U]][%[[M]], %[[N]]]
// CHECK-NEXT: %[[OLD:.*]] = loop.load %[[OUT]][%[[ROW]], %[[N]]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[OLD]], %[[NEW]]
// CHECK-NEXT: %[[INSIDE:.*]] = arith.cmpi eq, %[[WRAPPED]], %[[CLAMPED]]
// CHECK-NEXT: %[[KEPT:.*]] = arith.select %[[INSIDE]], %[[SUM]], %[[OLD]]
// CHECK-NEXT: loop.store %[[KEPT]], %[[OUT]][%[[ROW]], %[[N]]]
func.func private @rows(%u: tensor<3x4xf32>, %x: tensor<10x4xf32>, %rows: tensor<3xi64>) -> tensor<10x4xf32> {
  %0 = tensor.put add %u into %x[i, n] at (i = %rows[m]) over (m: 3, n: 4) : tensor<3x4xf32>, tensor<10x4xf32>, tensor<3xi64> -> tensor<10x4xf32>
  return %0 : tensor<10x4xf32>
}

// A dim that is no subscript of its own may meet itself.
// CHECK-LABEL: func.func private @halves(
// CHECK: loop.for serial "m"
// CHECK-NOT: loop.for parallel "n"
// CHECK: loop.for serial "n"
func.func private @halves(%u: tensor<3x4xi32>, %x: tensor<10x2xi32>, %rows: tensor<3xi64>) -> tensor<10x2xi32> {
  %0 = tensor.put set %u into %x[i, n floordiv 2] at (i = %rows[m]) over (m: 3, n: 4) : tensor<3x4xi32>, tensor<10x2xi32>, tensor<3xi64> -> tensor<10x2xi32>
  return %0 : tensor<10x2xi32>
}
