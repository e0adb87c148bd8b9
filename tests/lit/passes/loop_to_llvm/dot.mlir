// RUN: mlc-opt %s --lower-to-llvm --target=icelake-server | filecheck %s --check-prefix=VNNI
// RUN: mlc-opt %s --lower-to-llvm --target=alderlake | filecheck %s --check-prefix=AVXVNNI
// RUN: mlc-opt %s --lower-to-llvm --target=x86-64-v4 | filecheck %s --check-prefix=AVX512
// RUN: mlc-opt %s --lower-to-llvm --target=haswell | filecheck %s --check-prefix=AVX2
// RUN: mlc-opt %s --lower-to-llvm --target=x86-64-v2 | filecheck %s --check-prefix=SSE
// RUN: mlc-opt %s --lower-to-llvm --target=znver4 | filecheck %s --check-prefix=BF16
// RUN: mlc-opt %s --lower-to-llvm --target=sapphirerapids | filecheck %s --check-prefix=SLOW
// RUN: mlc-opt %s --lower-to-llvm --target=cortex-a76 | filecheck %s --check-prefix=DOTPROD
// RUN: mlc-opt %s --lower-to-llvm --target=neoverse-n1 | filecheck %s --check-prefix=DOTPROD
// RUN: mlc-opt %s --lower-to-llvm --target=neoverse-v1 | filecheck %s --check-prefix=I8MM
// RUN: mlc-opt %s --lower-to-llvm --target=cortex-a72 | filecheck %s --check-prefix=PLAIN

// Words of four numbers, in vectors of 128 bits. The order of the factors does not matter.

// VNNI-LABEL: llvm.func @mlc_bytes(
// VNNI:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.128"(%acc{{.*}}, %a{{.*}}, %b{{.*}})
// VNNI:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.128"(%{{.*}}, %b, %a)
// Two of i8 become pairs of i16: those at even places, and those at odd ones.
// VNNI:         llvm.call_intrinsic "llvm.x86.avx512.vpdpwssd.128"
// VNNI:         llvm.call_intrinsic "llvm.x86.avx512.vpdpwssd.128"
// VNNI-NOT:     llvm.mul
// AVXVNNI-LABEL: llvm.func @mlc_bytes(
// AVXVNNI:        vpdpbusd.128
// AVX512-LABEL: llvm.func @mlc_bytes(
// AVX512:         llvm.call_intrinsic "llvm.x86.sse2.pmadd.wd"
// AVX2-LABEL: llvm.func @mlc_bytes(
// AVX2:         %[[A:.*]] = llvm.bitcast %a : vector<4xi32> to vector<8xi16>
// AVX2:         %[[UP:.*]] = llvm.shl %[[A]], %{{.*}} : vector<8xi16>
// AVX2:         %[[EVEN:.*]] = llvm.lshr %[[UP]], %{{.*}} : vector<8xi16>
// AVX2:         %[[B:.*]] = llvm.bitcast %b : vector<4xi32> to vector<8xi16>
// AVX2:         llvm.shl
// AVX2:         llvm.ashr
// AVX2:         %[[SUMS:.*]] = llvm.call_intrinsic "llvm.x86.sse2.pmadd.wd"
// AVX2:         llvm.add %acc, %[[SUMS]] : vector<4xi32>
// AVX2:         llvm.call_intrinsic "llvm.x86.sse2.pmadd.wd"
// AVX2-NOT:     llvm.mul
// SSE-LABEL: llvm.func @mlc_bytes(
// SSE-COUNT-6:  llvm.call_intrinsic "llvm.x86.sse2.pmadd.wd"
// SSE-NOT:      llvm.mul
// SSE-LABEL: llvm.func @mlc_pairs(
// DOTPROD-LABEL: llvm.func @mlc_bytes(
// What has no instruction is computed number by number.
// DOTPROD-COUNT-8: llvm.mul {{.*}} : vector<4xi32>
// DOTPROD:      llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%{{.*}}, %{{.*}}, %{{.*}}) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
// I8MM-LABEL: llvm.func @mlc_bytes(
// I8MM:         llvm.call_intrinsic "llvm.aarch64.neon.usdot.v4i32.v16i8"
// I8MM:         llvm.call_intrinsic "llvm.aarch64.neon.usdot.v4i32.v16i8"
// I8MM:         llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"
// PLAIN-LABEL: llvm.func @mlc_bytes(
// PLAIN-COUNT-12: llvm.mul {{.*}} : vector<4xi32>
// PLAIN-NOT:    call_intrinsic
func.func @bytes(%x: memref<2x4xi32>, %s: memref<4xi32>, %y: memref<4xi32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<2x4xi32>, vector<4xi32>
  %b = loop.load %x[1, 0] : memref<2x4xi32>, vector<4xi32>
  %acc = loop.load %s[0] : memref<4xi32>, vector<4xi32>
  %0 = loop.dot %a, %b, %acc of ui8, i8 : vector<4xi32>, vector<4xi32>
  %1 = loop.dot %a, %b, %0 of i8, ui8 : vector<4xi32>, vector<4xi32>
  %2 = loop.dot %a, %b, %1 of i8, i8 : vector<4xi32>, vector<4xi32>
  loop.store %2, %y[0] : memref<4xi32>, vector<4xi32>
  return
}

// VNNI-LABEL: llvm.func @mlc_pairs(
// VNNI:         llvm.call_intrinsic "llvm.x86.avx512.vpdpwssd.128"(%acc{{.*}}, %a{{.*}}, %b{{.*}})
// VNNI-COUNT-2: llvm.mul
// AVX2-LABEL: llvm.func @mlc_pairs(
// AVX2:         llvm.call_intrinsic "llvm.x86.sse2.pmadd.wd"
// AVX2-COUNT-2: llvm.mul
// I8MM-LABEL: llvm.func @mlc_pairs(
// I8MM-COUNT-4: llvm.mul
// I8MM:         llvm.call_intrinsic "llvm.aarch64.neon.udot.v4i32.v16i8"
func.func @pairs(%x: memref<2x4xi32>, %s: memref<4xi32>, %y: memref<4xi32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<2x4xi32>, vector<4xi32>
  %b = loop.load %x[1, 0] : memref<2x4xi32>, vector<4xi32>
  %acc = loop.load %s[0] : memref<4xi32>, vector<4xi32>
  %0 = loop.dot %a, %b, %acc of i16, i16 : vector<4xi32>, vector<4xi32>
  %1 = loop.dot %a, %b, %0 of ui16, i16 : vector<4xi32>, vector<4xi32>
  %2 = loop.dot %a, %b, %1 of ui8, ui8 : vector<4xi32>, vector<4xi32>
  loop.store %2, %y[0] : memref<4xi32>, vector<4xi32>
  return
}

// Instructions are of the width of vectors; of what is wider than these of the target, each part has its own.

// VNNI-LABEL: llvm.func @mlc_wide(
// VNNI:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// AVXVNNI-LABEL: llvm.func @mlc_wide(
// AVXVNNI-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"
// AVX512-LABEL: llvm.func @mlc_wide(
// AVX512-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// AVX2-LABEL: llvm.func @mlc_wide(
// AVX2-COUNT-4: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// I8MM-LABEL: llvm.func @mlc_wide(
// I8MM-COUNT-4: llvm.call_intrinsic "llvm.aarch64.neon.usdot
func.func @wide(%x: memref<2x16xi32>, %s: memref<16xi32>, %y: memref<16xi32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<2x16xi32>, vector<16xi32>
  %b = loop.load %x[1, 0] : memref<2x16xi32>, vector<16xi32>
  %acc = loop.load %s[0] : memref<16xi32>, vector<16xi32>
  %0 = loop.dot %a, %b, %acc of ui8, i8 : vector<16xi32>, vector<16xi32>
  loop.store %0, %y[0] : memref<16xi32>, vector<16xi32>
  return
}

// Scalars have no instructions: each number goes to the upper bits of a word, and back with its sign.

// VNNI-LABEL: llvm.func @mlc_scalar(
// VNNI:         llvm.shl %a{{.*}}, %{{.*}} : i32
// VNNI:         llvm.lshr %{{.*}} : i32
// VNNI:         llvm.shl %b{{.*}}, %{{.*}} : i32
// VNNI:         llvm.ashr %{{.*}} : i32
// VNNI-COUNT-4: llvm.mul {{.*}} : i32
func.func @scalar(%x: memref<2x1xi32>, %s: memref<1xi32>, %y: memref<1xi32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<2x1xi32>
  %b = loop.load %x[1, 0] : memref<2x1xi32>
  %acc = loop.load %s[0] : memref<1xi32>
  %0 = loop.dot %a, %b, %acc of ui8, i8 : i32, i32
  loop.store %0, %y[0] : memref<1xi32>
  return
}

// BF16-LABEL: llvm.func @mlc_halves(
// BF16:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.128"(%acc{{.*}}, %{{.*}}, %{{.*}}) : (vector<4xf32>, vector<8xbf16>, vector<8xbf16>) -> vector<4xf32>
// Two multiply-adds are faster there than an instruction for bf16.
// SLOW-NOT: dpbf16ps
// I8MM-LABEL: llvm.func @mlc_halves(
// I8MM:         llvm.call_intrinsic "llvm.aarch64.neon.bfdot.v4f32.v8bf16"
// The bits of a bf16 are the upper ones of an f32.
// AVX2-LABEL: llvm.func @mlc_halves(
// AVX2:         llvm.shl %a{{.*}}, %{{.*}} : vector<4xi32>
// AVX2:         llvm.bitcast %{{.*}} : vector<4xi32> to vector<4xf32>
// AVX2:         llvm.intr.fmuladd
// AVX2:         llvm.and %a{{.*}}, %{{.*}} : vector<4xi32>
// AVX2:         llvm.intr.fmuladd
func.func @halves(%x: memref<2x4xi32>, %s: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<2x4xi32>, vector<4xi32>
  %b = loop.load %x[1, 0] : memref<2x4xi32>, vector<4xi32>
  %acc = loop.load %s[0] : memref<4xf32>, vector<4xf32>
  %0 = loop.dot %a, %b, %acc of bf16, bf16 : vector<4xi32>, vector<4xf32>
  loop.store %0, %y[0] : memref<4xf32>, vector<4xf32>
  return
}
