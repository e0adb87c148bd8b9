// RUN: mlc-opt %s --lower-to-llvm --target=haswell | filecheck %s --check-prefix=AVX2
// RUN: mlc-opt %s --lower-to-llvm --target=skylake-avx512 | filecheck %s --check-prefix=AVX512
// RUN: mlc-opt %s --lower-to-llvm --target=x86-64-v2 | filecheck %s --check-prefix=SSE
// RUN: mlc-opt %s --lower-to-llvm --target=alderlake | filecheck %s --check-prefix=VNNI
// RUN: mlc-opt %s --lower-to-llvm --target=cortex-a72 | filecheck %s --check-prefix=OTHER

// Sums of two products that fit in 16 bits are one instruction, whose first factor has no sign; these are multiplied by
// one, and added up.

// AVX2-LABEL: llvm.func @mlc_bytes(
// AVX2-COUNT-4: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// AVX512-LABEL: llvm.func @mlc_bytes(
// AVX512:       %[[U:.*]] = llvm.bitcast %a : vector<16xi32> to vector<64xi8>
// AVX512:       %[[S:.*]] = llvm.bitcast %b : vector<16xi32> to vector<64xi8>
// AVX512:       llvm.call_intrinsic "llvm.x86.avx512.pmaddubs.w.512"(%[[U]], %[[S]]) : (vector<64xi8>, vector<64xi8>) -> vector<32xi16>
// AVX512:       llvm.mlir.constant(dense<65537> : vector<16xi32>)
// AVX512:       llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"(%{{.*}}, %{{.*}}) : (vector<32xi16>, vector<32xi16>) -> vector<16xi32>
// AVX512-NEXT:  llvm.add %acc, %{{.*}} : vector<16xi32>
// AVX512:       %[[V:.*]] = llvm.bitcast %b : vector<16xi32> to vector<64xi8>
// AVX512:       %[[T:.*]] = llvm.bitcast %a : vector<16xi32> to vector<64xi8>
// AVX512:       llvm.call_intrinsic "llvm.x86.avx512.pmaddubs.w.512"(%[[V]], %[[T]])
// AVX512:       llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// AVX512-NOT:   llvm.{{shl|mul}}
// SSE-COUNT-8:  llvm.call_intrinsic "llvm.x86.ssse3.pmadd.ub.sw.128"
// SSE-NOT:      llvm.{{shl|mul}}
// SSE-LABEL:   llvm.func @mlc_scalar(
// VNNI-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"
// OTHER:        llvm.mul
func.func @bytes(%x: memref<2x16xi32>, %s: memref<16xi32>, %y: memref<16xi32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<2x16xi32>, vector<16xi32>
  %b = loop.load %x[1, 0] : memref<2x16xi32>, vector<16xi32>
  %acc = loop.load %s[0] : memref<16xi32>, vector<16xi32>
  %0 = loop.dot %a, %b, %acc of ui8, i8 in_i16 : vector<16xi32>, vector<16xi32>
  %1 = loop.dot %a, %b, %0 of i8, ui8 in_i16 : vector<16xi32>, vector<16xi32>
  loop.store %1, %y[0] : memref<16xi32>, vector<16xi32>
  return
}

// Scalars have no such instruction.
// AVX512-LABEL: llvm.func @mlc_scalar(
// AVX512-COUNT-4: llvm.mul {{.*}} : i32
func.func @scalar(%x: memref<2x1xi32>, %s: memref<1xi32>, %y: memref<1xi32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<2x1xi32>
  %b = loop.load %x[1, 0] : memref<2x1xi32>
  %acc = loop.load %s[0] : memref<1xi32>
  %0 = loop.dot %a, %b, %acc of ui8, i8 in_i16 : i32, i32
  loop.store %0, %y[0] : memref<1xi32>
  return
}
