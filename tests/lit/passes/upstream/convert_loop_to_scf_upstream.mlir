// REQUIRES: mlir-opt
// RUN: mlc-opt %s --convert-loop-to-scf --print-op-generic | mlir-opt --canonicalize | filecheck %s

// Upstream goes on from here: that iterations are independent is known to its passes.

// CHECK-LABEL: func.func private @copy(
// CHECK-SAME:    memref<4x8xf32> {mlc.output}
// CHECK:         scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) {
// CHECK:           memref.load
// CHECK:           scf.reduce
func.func private @copy(%x: memref<4x8xf32>, %y: memref<4x8xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 8 {
      %a = loop.load %x[%m, %n] : memref<4x8xf32>
      loop.store %a, %y[%m, %n] : memref<4x8xf32>
    }
  }
  return
}
