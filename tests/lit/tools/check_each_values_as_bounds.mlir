// RUN: mlc compile %s -o %t.so --check-each 2>&1 | filecheck %s
// RUN: sed 's/, %y.%i. : memref<5xf32>/, %y[%c1] : memref<5xf32>/' %s > %t.mlir
// RUN: (not mlc compile %t.mlir -o %t.so --check-each 2>&1) | filecheck %s --check-prefix=WRONG

// REQUIRES: clang

// A matrix in compressed rows: the iterations of a parallel loop, each of which loops between bounds that are values,
// are checked, and so is native code.
// CHECK: note: --check-each compared {{[1-9][0-9]*}} values of 1 function
// CHECK-NOT: not check
// WRONG: error: iterations of a parallel loop of scf depend on each other
func.func @spmv(%rows: memref<6xi64> {mlc.range = array<i64: 0, 9>, mlc.ascending}, %cols: memref<9xi64> {mlc.range = array<i64: 0, 5>}, %v: memref<9xf32>, %x: memref<5xf32>, %y: memref<5xf32> {mlc.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%c5) step (%c1) {
    %j = arith.addi %i, %c1 : index
    %s = memref.load %rows[%i] : memref<6xi64>
    %e = memref.load %rows[%j] : memref<6xi64>
    %si = arith.index_cast %s : i64 to index
    %ei = arith.index_cast %e : i64 to index
    %sum = scf.for %k = %si to %ei step %c1 iter_args(%acc = %zero) -> (f32) {
      %c = memref.load %cols[%k] : memref<9xi64>
      %ci = arith.index_cast %c : i64 to index
      %a = memref.load %v[%k] : memref<9xf32>
      %b = memref.load %x[%ci] : memref<5xf32>
      %m = arith.mulf %a, %b : f32
      %n = arith.addf %acc, %m : f32
      scf.yield %n : f32
    }
    memref.store %sum, %y[%i] : memref<5xf32>
    scf.reduce
  }
  return
}
