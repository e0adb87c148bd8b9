// RUN: mlc-opt %s --lower-to-llvm --target=haswell | filecheck %s
// RUN: not mlc-opt %s --lower-to-llvm --target=x86-64-v2 2>&1 | filecheck %s --check-prefix=NONE

// Numbers of f16 are taken apart, widened, and multiplied one by one, where instructions widen them.

// CHECK-LABEL: llvm.func @mlc_halves(
// CHECK-COUNT-2: llvm.fpext {{.*}} : vector<4xf16> to vector<4xf32>
// CHECK:         llvm.intr.fmuladd
// CHECK-COUNT-2: llvm.fpext {{.*}} : vector<4xf16> to vector<4xf32>
// CHECK:         llvm.intr.fmuladd
// NONE: dot_f16.mlir:{{[0-9]+}}:8: error: loop.dot of f16 takes instructions that convert f16; x86-64-v2 has none
func.func @halves(%x: memref<2x4xi32>, %s: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<2x4xi32>, vector<4xi32>
  %b = loop.load %x[1, 0] : memref<2x4xi32>, vector<4xi32>
  %acc = loop.load %s[0] : memref<4xf32>, vector<4xf32>
  %0 = loop.dot %a, %b, %acc of f16, f16 : vector<4xi32>, vector<4xf32>
  loop.store %0, %y[0] : memref<4xf32>, vector<4xf32>
  return
}
