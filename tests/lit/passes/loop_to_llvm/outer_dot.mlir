// RUN: mlc-opt %s --lower-to-llvm --target=neoverse-v1 | filecheck %s --check-prefix=I8MM
// RUN: mlc-opt %s --lower-to-llvm --target=neoverse-n1 | filecheck %s --check-prefix=DOTPROD
// RUN: mlc-opt %s --lower-to-llvm --target=icelake-server | filecheck %s --check-prefix=VNNI

// One instruction, of which the one for two signs takes the numbers without sign first. Elsewhere there is a dot product
// for each lane, of the halves of words one after the other.

// I8MM-LABEL: llvm.func @mlc_bytes(
// I8MM:         %[[A:.*]] = llvm.bitcast %a : vector<2xi64> to vector<16xi8>
// I8MM-NEXT:    %[[B:.*]] = llvm.bitcast %b : vector<2xi64> to vector<16xi8>
// I8MM-NEXT:    %[[S:.*]] = llvm.call_intrinsic "llvm.aarch64.neon.smmla.v4i32.v16i8"(%acc, %[[A]], %[[B]]) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
// I8MM:         llvm.call_intrinsic "llvm.aarch64.neon.ummla.v4i32.v16i8"(%[[S]],
// I8MM:         llvm.call_intrinsic "llvm.aarch64.neon.usmmla.v4i32.v16i8"
// I8MM-NOT:     mmla
// I8MM:         llvm.call_intrinsic "llvm.aarch64.neon.usdot.v4i32.v16i8"
// I8MM:         llvm.call_intrinsic "llvm.aarch64.neon.usdot.v4i32.v16i8"
// DOTPROD-LABEL: llvm.func @mlc_bytes(
// DOTPROD:      %[[A:.*]] = llvm.shufflevector %a, %a [0, 0, 1, 1] : vector<2xi64>
// DOTPROD-NEXT: %[[B:.*]] = llvm.shufflevector %b, %b [0, 1, 0, 1] : vector<2xi64>
// DOTPROD-NEXT: %[[WORDS:.*]] = llvm.bitcast %[[A]] : vector<4xi64> to vector<8xi32>
// DOTPROD-NEXT: %[[LOW:.*]] = llvm.shufflevector %[[WORDS]], %[[WORDS]] [0, 2, 4, 6] : vector<8xi32>
// DOTPROD:      %[[AGAIN:.*]] = llvm.bitcast %[[A]] : vector<4xi64> to vector<8xi32>
// DOTPROD-NEXT: %[[HIGH:.*]] = llvm.shufflevector %[[AGAIN]], %[[AGAIN]] [1, 3, 5, 7] : vector<8xi32>
// DOTPROD:      llvm.bitcast %[[LOW]] : vector<4xi32> to vector<16xi8>
// DOTPROD:      llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%acc,
// DOTPROD:      llvm.bitcast %[[HIGH]] : vector<4xi32> to vector<16xi8>
// DOTPROD:      llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(
// VNNI-LABEL: llvm.func @mlc_bytes(
// VNNI-NOT:     llvm.mul
// VNNI:         llvm.return
func.func @bytes(%x: memref<2x2xi64>, %s: memref<4xi32>, %y: memref<4xi32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<2x2xi64>, vector<2xi64>
  %b = loop.load %x[1, 0] : memref<2x2xi64>, vector<2xi64>
  %acc = loop.load %s[0] : memref<4xi32>, vector<4xi32>
  %0 = loop.outer_dot %a, %b, %acc of i8, i8 : vector<2xi64>, vector<2xi64>, vector<4xi32>
  %1 = loop.outer_dot %a, %b, %0 of ui8, ui8 : vector<2xi64>, vector<2xi64>, vector<4xi32>
  %2 = loop.outer_dot %a, %b, %1 of ui8, i8 : vector<2xi64>, vector<2xi64>, vector<4xi32>
  %3 = loop.outer_dot %a, %b, %2 of i8, ui8 : vector<2xi64>, vector<2xi64>, vector<4xi32>
  loop.store %3, %y[0] : memref<4xi32>, vector<4xi32>
  return
}

// I8MM-LABEL: llvm.func @mlc_halves(
// I8MM:         llvm.call_intrinsic "llvm.aarch64.neon.bfmmla"(%acc{{.*}}, %{{.*}}, %{{.*}}) : (vector<4xf32>, vector<8xbf16>, vector<8xbf16>) -> vector<4xf32>
func.func @halves(%x: memref<2x2xi64>, %s: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<2x2xi64>, vector<2xi64>
  %b = loop.load %x[1, 0] : memref<2x2xi64>, vector<2xi64>
  %acc = loop.load %s[0] : memref<4xf32>, vector<4xf32>
  %0 = loop.outer_dot %a, %b, %acc of bf16, bf16 : vector<2xi64>, vector<2xi64>, vector<4xf32>
  loop.store %0, %y[0] : memref<4xf32>, vector<4xf32>
  return
}

// Long words that are not paired, of vectors and alone, are halves one after the other, too.

// I8MM-LABEL: llvm.func @mlc_long(
// I8MM-COUNT-2: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"
// I8MM-NOT:     mmla
// I8MM:         llvm.trunc %{{.*}} : i64 to i32
// I8MM:         llvm.lshr %{{.*}} : i64
// I8MM:         llvm.trunc %{{.*}} : i64 to i32
func.func @long(%x: memref<2x4xi64>, %s: memref<4xi32>, %y: memref<4xi32> {mlc.output}, %z: memref<1xi32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<2x4xi64>, vector<4xi64>
  %b = loop.load %x[1, 0] : memref<2x4xi64>, vector<4xi64>
  %acc = loop.load %s[0] : memref<4xi32>, vector<4xi32>
  %0 = loop.dot %a, %b, %acc of i8, i8 : vector<4xi64>, vector<4xi32>
  loop.store %0, %y[0] : memref<4xi32>, vector<4xi32>
  %c = loop.load %x[0, 0] : memref<2x4xi64>
  %d = loop.load %s[0] : memref<4xi32>
  %1 = loop.dot %c, %c, %d of i8, i8 : i64, i32
  loop.store %1, %z[0] : memref<1xi32>
  return
}
