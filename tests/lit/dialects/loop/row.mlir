// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @rows
func.func @rows(%x: memref<3x4x5xf32>, %y: memref<3xi64>, %i: index) {
  // CHECK-NEXT: %0 = loop.row %x[%i] : memref<3x4x5xf32> -> memref<4x5xf32>
  // CHECK-NEXT: %1 = loop.row %0[%i] {my.note} : memref<4x5xf32> -> memref<5xf32>
  // CHECK-NEXT: %2 = loop.row %y[%i] : memref<3xi64> -> memref<i64>
  %0 = loop.row %x[%i] : memref<3x4x5xf32> -> memref<4x5xf32>
  %1 = loop.row %0[%i] {my.note} : memref<4x5xf32> -> memref<5xf32>
  %2 = loop.row %y[%i] : memref<3xi64> -> memref<i64>
  return
}
