// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @spans
func.func @spans(%x: memref<3x4xf32>, %y: memref<i64>) {
  // CHECK-NEXT: %0 = loop.span %x from 0 : memref<3x4xf32> -> memref<12xf32>
  // CHECK-NEXT: %1 = loop.span %0 from 11 {my.note} : memref<12xf32> -> memref<1xf32>
  // CHECK-NEXT: %2 = loop.span %y from 0 : memref<i64> -> memref<1xi64>
  %0 = loop.span %x from 0 : memref<3x4xf32> -> memref<12xf32>
  %1 = loop.span %0 from 11 {my.note} : memref<12xf32> -> memref<1xf32>
  %2 = loop.span %y from 0 : memref<i64> -> memref<1xi64>
  return
}
