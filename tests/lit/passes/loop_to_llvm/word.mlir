// RUN: mlc-opt %s --lower-to-llvm --target=icelake-server | filecheck %s --check-prefix=AVX512
// RUN: mlc-opt %s --lower-to-llvm --target=haswell | filecheck %s --check-prefix=AVX2
// RUN: mlc-opt %s --lower-to-llvm --target=cortex-a76 | filecheck %s --check-prefix=NEON

// Fours of lanes go to the piece of 16 bytes, and to the half of it, from which their words come out in order; NEON has
// one piece. Bytes are interleaved, and then pairs of bytes.

// AVX512-LABEL: llvm.func @mlc_bytes(
// AVX512:         llvm.shufflevector {{.*}} [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15] : vector<16xi32>
// AVX512:         llvm.shufflevector {{.*}} [0, 64, 1, 65, {{.*}} : vector<64xi8>
// AVX512:         llvm.shufflevector {{.*}} [0, 32, 1, 33, 2, 34, 3, 35, 8, 40, {{.*}} : vector<32xi16>
// AVX512:         llvm.shufflevector {{.*}} [4, 36, 5, 37, 6, 38, 7, 39, 12, 44, {{.*}} : vector<32xi16>
// AVX512:         llvm.shufflevector {{.*}} [8, 72, 9, 73, {{.*}} : vector<64xi8>
// AVX2-LABEL: llvm.func @mlc_bytes(
// AVX2:         llvm.shufflevector {{.*}} [0, 2, 4, 6, 1, 3, 5, 7] : vector<16xi32>
// AVX2:         llvm.shufflevector {{.*}} [8, 10, 12, 14, 9, 11, 13, 15] : vector<16xi32>
// NEON-LABEL: llvm.func @mlc_bytes(
// NEON:         llvm.shufflevector {{.*}} [0, 1, 2, 3] : vector<16xi32>
// NEON:         llvm.shufflevector {{.*}} [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23] : vector<16xi8>
func.func @bytes(%x: memref<4x64xi8>, %y: memref<64xi32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<4x64xi8>, vector<64xi8>
  %b = loop.load %x[1, 0] : memref<4x64xi8>, vector<64xi8>
  %c = loop.load %x[2, 0] : memref<4x64xi8>, vector<64xi8>
  %d = loop.load %x[3, 0] : memref<4x64xi8>, vector<64xi8>
  %w = loop.word %a, %b, %c, %d : vector<64xi8>, vector<64xi8>, vector<64xi8>, vector<64xi8> -> vector<64xi32>
  loop.store %w, %y[0] : memref<64xi32>, vector<64xi32>
  return
}

// Lanes of one constant are in any order already, those of another one are not.

// AVX512-LABEL: llvm.func @mlc_constants(
// AVX512:         %[[ONE:.*]] = llvm.mlir.constant(dense<1> : vector<64xi8>) : vector<64xi8>
// AVX512:         %[[OTHER:.*]] = llvm.mlir.constant(dense<{{.*}}> : vector<64xi8>) : vector<64xi8>
// AVX512:         %[[CAST:.*]] = llvm.bitcast %[[OTHER]] : vector<64xi8> to vector<16xi32>
// AVX512-NEXT:    %[[MOVED:.*]] = llvm.shufflevector %[[CAST]], %[[CAST]] [0, 4, 8, 12, {{.*}} : vector<16xi32>
// AVX512-NEXT:    %[[BACK:.*]] = llvm.bitcast %[[MOVED]] : vector<16xi32> to vector<64xi8>
// AVX512-NEXT:    llvm.shufflevector %[[ONE]], %[[BACK]] [0, 64, 1, 65, {{.*}} : vector<64xi8>
// NEON-LABEL:   llvm.func @mlc_constants(
func.func @constants(%y: memref<64xi32> {mlc.output}) {
  %a = arith.constant dense<1> : vector<64xi8>
  %b = arith.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F"> : vector<64xi8>
  %w = loop.word %a, %b, %a, %b : vector<64xi8>, vector<64xi8>, vector<64xi8>, vector<64xi8> -> vector<64xi32>
  loop.store %w, %y[0] : memref<64xi32>, vector<64xi32>
  return
}

// A single word is made of shifts.

// AVX512-LABEL: llvm.func @mlc_one(
// AVX512:         %[[A:.*]] = llvm.zext %{{.*}} : i16 to i32
// AVX512:         %[[B:.*]] = llvm.zext %{{.*}} : i16 to i32
// AVX512:         %[[BY:.*]] = llvm.mlir.constant(16 : i32) : i32
// AVX512:         %[[HIGH:.*]] = llvm.shl %[[B]], %[[BY]] : i32
// AVX512:         llvm.or %[[A]], %[[HIGH]] : i32
func.func @one(%x: memref<2xi16>, %y: memref<1xi32> {mlc.output}) {
  %a = loop.load %x[0] : memref<2xi16>
  %b = loop.load %x[1] : memref<2xi16>
  %w = loop.word %a, %b : i16, i16 -> i32
  loop.store %w, %y[0] : memref<1xi32>
  return
}

// Dot products of vectors of several registers are those of each.

// AVX512-LABEL: llvm.func @mlc_dots(
// AVX512-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// AVX512-NOT:     vpdpbusd
// AVX512:         llvm.return
// NEON-LABEL:   llvm.func @mlc_dots(
func.func @dots(%x: memref<32xi32>, %v: memref<32xi32>, %y: memref<32xi32> {mlc.output}) {
  %a = loop.load %x[0] : memref<32xi32>, vector<32xi32>
  %b = loop.load %v[0] : memref<32xi32>, vector<32xi32>
  %s = loop.dot %a, %b, %a of ui8, i8 : vector<32xi32>, vector<32xi32>
  loop.store %s, %y[0] : memref<32xi32>, vector<32xi32>
  return
}
