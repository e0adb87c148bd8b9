// RUN: mlc-opt %s --lower-to-llvm --target=x86-64-v4 --emit=llvm-ir | filecheck %s
// RUN: mlc-opt %s --lower-to-llvm --target=x86-64-v4 --emit=asm | filecheck %s --check-prefix=ASM
// REQUIRES: clang

// Instructions of a target take registers: a wider vector is taken apart for them, and put together again.
// CHECK-LABEL: @four
// CHECK-DAG:   %[[A0:.*]] = shufflevector <64 x float> %[[A:.*]], <64 x float> %[[A]], <16 x i32> <i32 0, i32 1, {{.*}}i32 15>
// CHECK-DAG:   %[[A3:.*]] = shufflevector <64 x float> %[[A]], <64 x float> %[[A]], <16 x i32> <i32 48, {{.*}}i32 63>
// CHECK:       %[[R0:.*]] = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %[[A0]],
// CHECK-NEXT:  %[[R1:.*]] = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(
// CHECK-NEXT:  %[[R2:.*]] = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(
// CHECK-NEXT:  %[[R3:.*]] = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %[[A3]],
// CHECK-NEXT:  %[[S0:.*]] = shufflevector <16 x float> %[[R0]], <16 x float> %[[R1]], <32 x i32> <i32 0, i32 1, {{.*}}i32 31>
// CHECK-NEXT:  %[[S1:.*]] = shufflevector <16 x float> %[[R2]], <16 x float> %[[R3]], <32 x i32> <i32 0, i32 1, {{.*}}i32 31>
// CHECK-NEXT:  shufflevector <32 x float> %[[S0]], <32 x float> %[[S1]], <64 x i32> <i32 0, i32 1, {{.*}}i32 63>
// ASM-LABEL:   four:
// ASM-COUNT-4: vscalefps
// ASM-NOT:     vscalefps
// ASM:         ret
func.func private @four(%a: memref<64xf32>, %b: memref<64xf32>, %y: memref<64xf32> {mlc.output}) {
  %p = loop.load %a[0] : memref<64xf32>, vector<64xf32>
  %q = loop.load %b[0] : memref<64xf32>, vector<64xf32>
  %r = llvm.intr.x86.scalef(%p, %q) : (vector<64xf32>, vector<64xf32>) -> vector<64xf32>
  loop.store %r, %y[0] : memref<64xf32>, vector<64xf32>
  return
}

// CHECK-LABEL: @doubles
// CHECK-COUNT-2: call <8 x double> @llvm.x86.avx512.mask.range.pd.512(<8 x double> %{{.*}}, <8 x double> %{{.*}}, i32 2,
// ASM-LABEL:   doubles:
// ASM-COUNT-2: vrangepd
func.func private @doubles(%a: memref<16xf64>, %y: memref<16xf64> {mlc.output}) {
  %p = loop.load %a[0] : memref<16xf64>, vector<16xf64>
  %q = arith.constant dense<0.5> : vector<16xf64>
  %r = llvm.intr.x86.range(%p, %q) : (vector<16xf64>, vector<16xf64>) -> vector<16xf64>
  loop.store %r, %y[0] : memref<16xf64>, vector<16xf64>
  return
}

// One register is given as it is.
// CHECK-LABEL: @one
// CHECK-NOT:   shufflevector
// CHECK:       call <16 x float> @llvm.x86.avx512.rcp14.ps.512(<16 x float> %{{.*}}, <16 x float> zeroinitializer, i16 -1)
// CHECK-NOT:   shufflevector
// CHECK:       ret void
func.func private @one(%a: memref<16xf32>, %y: memref<16xf32> {mlc.output}) {
  %p = loop.load %a[0] : memref<16xf32>, vector<16xf32>
  %r = llvm.intr.x86.rcp14(%p) : (vector<16xf32>) -> vector<16xf32>
  loop.store %r, %y[0] : memref<16xf32>, vector<16xf32>
  return
}

// A number of registers that is not a power of two.
// CHECK-LABEL: @three
// CHECK-COUNT-3: call <16 x float> @llvm.x86.avx512.rcp14.ps.512(
// CHECK-NEXT:  %[[L:.*]] = shufflevector <16 x float> %{{.*}}, <16 x float> %{{.*}}, <32 x i32>
// CHECK-NEXT:  %[[H:.*]] = shufflevector <16 x float> %{{.*}}, <16 x float> poison, <32 x i32>
// CHECK-NEXT:  %[[R:.*]] = shufflevector <32 x float> %[[L]], <32 x float> %[[H]], <48 x i32> <i32 0, {{.*}}i32 47>
// CHECK-NEXT:  store <48 x float> %[[R]]
func.func private @three(%a: memref<48xf32>, %y: memref<48xf32> {mlc.output}) {
  %p = loop.load %a[0] : memref<48xf32>, vector<48xf32>
  %r = llvm.intr.x86.rcp14(%p) : (vector<48xf32>) -> vector<48xf32>
  loop.store %r, %y[0] : memref<48xf32>, vector<48xf32>
  return
}
