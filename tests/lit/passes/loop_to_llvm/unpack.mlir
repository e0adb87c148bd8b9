// RUN: mlc-opt %s --convert-loop-to-llvm --target=x86-64-v4 | filecheck %s --check-prefix=TABLE
// RUN: mlc-opt %s --convert-loop-to-llvm --target=haswell | filecheck %s --check-prefix=SHIFT

// TABLE-LABEL: llvm.func @mlc_words(
// TABLE:         llvm.lshr
// TABLE:         dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00, -8.000000e+00, -7.000000e+00, -6.000000e+00, -5.000000e+00, -4.000000e+00, -3.000000e+00, -2.000000e+00, -1.000000e+00]>
// TABLE:         llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// TABLE:         llvm.shl
// TABLE:         llvm.ashr
// TABLE:         llvm.sitofp %{{.*}} : i32 to f32

// SHIFT-LABEL: llvm.func @mlc_words(
// SHIFT-NOT:     call_intrinsic
// SHIFT-COUNT-2: llvm.sitofp
func.func @words(%w: memref<16xi32>, %y: memref<17xf32> {mlc.output}) {
  %zero = arith.constant 0 : index
  %a = loop.load %w[%zero] : memref<16xi32>, vector<16xi32>
  %b = loop.unpack %a[3] : vector<16xi32> to vector<16xf32>
  loop.store %b, %y[%zero] : memref<17xf32>, vector<16xf32>
  %c = loop.load %w[%zero] : memref<16xi32>
  %d = loop.unpack %c[2] : i32 to f32
  loop.store %d, %y[%zero + 16] : memref<17xf32>
  return
}

// Bytes are shifted and masked on all targets.

// SHIFT-LABEL: llvm.func @mlc_bytes(
// SHIFT:         llvm.lshr %{{.*}} : vector<16xi32>
// SHIFT:         llvm.mlir.constant(dense<252645135> : vector<16xi32>)
// SHIFT:         llvm.and
// SHIFT-NOT:     llvm.lshr
// SHIFT:         llvm.mlir.constant(50529027 : i32)
// SHIFT-NEXT:    llvm.and
func.func @bytes(%w: memref<16xi32>, %y: memref<17xi32> {mlc.output}) {
  %zero = arith.constant 0 : index
  %a = loop.load %w[%zero] : memref<16xi32>, vector<16xi32>
  %b = loop.unpack_bytes %a[1] of 4 : vector<16xi32>
  loop.store %b, %y[%zero] : memref<17xi32>, vector<16xi32>
  %c = loop.load %w[%zero] : memref<16xi32>
  %d = loop.unpack_bytes %c[0] of 2 : i32
  loop.store %d, %y[%zero + 16] : memref<17xi32>
  return
}
