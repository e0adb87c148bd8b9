// RUN: mlc-opt %s --merge-loads --target=neoverse-v1 | filecheck %s --check-prefixes=CHECK,LANES
// RUN: mlc-opt %s --merge-loads --target=sapphirerapids | filecheck %s --check-prefixes=CHECK,ALL

// Words of a row come in one load, and are taken from lanes. Factors of one type change places: a lane is of the second.
// CHECK-LABEL: @bytes
// LANES:      %[[R:.*]] = loop.load %x[%m, 16] : memref<4x64xi8>, vector<8xi8>
// LANES-NEXT: %[[W:.*]] = vector.bitcast %[[R]] : vector<8xi8> to vector<2xi32>
// LANES-NOT:  vector.broadcast
// LANES:      %[[A:.*]] = vector.shuffle %[[W]], %[[W]] [0, 0, 0, 0] : vector<2xi32>, vector<2xi32>
// LANES:      %[[S:.*]] = loop.dot %w0, %[[A]], %s of i8, i8
// LANES:      %[[B:.*]] = vector.shuffle %[[W]], %[[W]] [1, 1, 1, 1] : vector<2xi32>, vector<2xi32>
// LANES:      loop.dot %w1, %[[B]], %[[S]] of i8, i8
// ALL:        loop.load %x[%m, 16] : memref<4x64xi8>, vector<4xi8>
// ALL:        loop.dot %{{.*}}, %w0, %s of i8, i8
func.func private @bytes(%x: memref<4x64xi8>, %w: memref<2x4xi32>, %y: memref<4x4xi32> {mlc.output}) {
  loop.for serial "m" %m = 0 to 4 step 1 {
    %s = arith.constant dense<0> : vector<4xi32>
    %w0 = loop.load %w[0, 0] : memref<2x4xi32>, vector<4xi32>
    %a = loop.load %x[%m, 16] : memref<4x64xi8>, vector<4xi8>
    %b = vector.bitcast %a : vector<4xi8> to vector<1xi32>
    %c = vector.extract %b[0] : i32 from vector<1xi32>
    %d = vector.broadcast %c : i32 to vector<4xi32>
    %t = loop.dot %d, %w0, %s of i8, i8 : vector<4xi32>, vector<4xi32>
    %w1 = loop.load %w[1, 0] : memref<2x4xi32>, vector<4xi32>
    %e = loop.load %x[%m, 20] : memref<4x64xi8>, vector<4xi8>
    %f = vector.bitcast %e : vector<4xi8> to vector<1xi32>
    %g = vector.extract %f[0] : i32 from vector<1xi32>
    %h = vector.broadcast %g : i32 to vector<4xi32>
    %u = loop.dot %h, %w1, %t of i8, i8 : vector<4xi32>, vector<4xi32>
    loop.store %u, %y[%m, 0] : memref<4x4xi32>, vector<4xi32>
  }
  return
}

// Factors of two types stay where they are. Words of bf16 are lanes of f32, as sums are.
// CHECK-LABEL: @types
// LANES:      %[[R:.*]] = loop.load %x[0] : memref<64xui8>, vector<8xui8>
// LANES:      loop.dot %{{.*}}, %{{.*}}, %{{.*}} of ui8, i8
// LANES:      %[[H:.*]] = loop.load %z[0] : memref<64xbf16>, vector<4xbf16>
// LANES-NEXT: %[[W:.*]] = vector.bitcast %[[H]] : vector<4xbf16> to vector<2xf32>
// LANES:      %[[A:.*]] = vector.shuffle %[[W]], %[[W]] [0, 0, 0, 0] : vector<2xf32>, vector<2xf32>
// LANES-NEXT: %[[B:.*]] = vector.bitcast %[[A]] : vector<4xf32> to vector<4xi32>
// LANES-NEXT: loop.dot %w, %[[B]], %{{.*}} of bf16, bf16
func.func private @types(%x: memref<64xui8>, %z: memref<64xbf16>, %k: memref<4xi32>, %y: memref<4xi32> {mlc.output}, %v: memref<4xf32> {mlc.output}) {
  %w = loop.load %k[0] : memref<4xi32>, vector<4xi32>
  %s = arith.constant dense<0> : vector<4xi32>
  %a = loop.load %x[0] : memref<64xui8>, vector<4xui8>
  %b = vector.bitcast %a : vector<4xui8> to vector<1xi32>
  %c = vector.extract %b[0] : i32 from vector<1xi32>
  %d = vector.broadcast %c : i32 to vector<4xi32>
  %e = loop.load %x[4] : memref<64xui8>, vector<4xui8>
  %f = vector.bitcast %e : vector<4xui8> to vector<1xi32>
  %g = vector.extract %f[0] : i32 from vector<1xi32>
  %h = vector.broadcast %g : i32 to vector<4xi32>
  %t = loop.dot %d, %w, %s of ui8, i8 : vector<4xi32>, vector<4xi32>
  %u = loop.dot %h, %w, %t of ui8, i8 : vector<4xi32>, vector<4xi32>
  loop.store %u, %y[0] : memref<4xi32>, vector<4xi32>
  %p = arith.constant dense<0.0> : vector<4xf32>
  %a1 = loop.load %z[0] : memref<64xbf16>, vector<2xbf16>
  %b1 = vector.bitcast %a1 : vector<2xbf16> to vector<1xi32>
  %c1 = vector.extract %b1[0] : i32 from vector<1xi32>
  %d1 = vector.broadcast %c1 : i32 to vector<4xi32>
  %q = loop.dot %d1, %w, %p of bf16, bf16 : vector<4xi32>, vector<4xf32>
  %e1 = loop.load %z[2] : memref<64xbf16>, vector<2xbf16>
  %f1 = vector.bitcast %e1 : vector<2xbf16> to vector<1xi32>
  %g1 = vector.extract %f1[0] : i32 from vector<1xi32>
  %h1 = vector.broadcast %g1 : i32 to vector<4xi32>
  %r = loop.dot %h1, %w, %q of bf16, bf16 : vector<4xi32>, vector<4xf32>
  loop.store %r, %v[0] : memref<4xf32>, vector<4xf32>
  return
}

// Words that are not neighbours, that a store separates, or of which something else takes a part, are loaded as before.
// CHECK-LABEL: @apart
// CHECK-COUNT-4: loop.load %x[{{[0-9]+}}] : memref<64xi8>, vector<4xi8>
// CHECK-NOT:     loop.load %x
func.func private @apart(%x: memref<64xi8> {mlc.output}, %k: memref<4xi32>, %y: memref<4xi32> {mlc.output}, %z: memref<4xi8> {mlc.output}) {
  %zero = arith.constant dense<0> : vector<64xi8>
  loop.store %zero, %x[0] : memref<64xi8>, vector<64xi8>
  %w = loop.load %k[0] : memref<4xi32>, vector<4xi32>
  %s = arith.constant dense<0> : vector<4xi32>
  %a = loop.load %x[0] : memref<64xi8>, vector<4xi8>
  %b = vector.bitcast %a : vector<4xi8> to vector<1xi32>
  %c = vector.extract %b[0] : i32 from vector<1xi32>
  %d = vector.broadcast %c : i32 to vector<4xi32>
  %t = loop.dot %d, %w, %s of i8, i8 : vector<4xi32>, vector<4xi32>
  %e = loop.load %x[8] : memref<64xi8>, vector<4xi8>
  %f = vector.bitcast %e : vector<4xi8> to vector<1xi32>
  %g = vector.extract %f[0] : i32 from vector<1xi32>
  %h = vector.broadcast %g : i32 to vector<4xi32>
  %u = loop.dot %h, %w, %t of i8, i8 : vector<4xi32>, vector<4xi32>
  %i = loop.load %x[4] : memref<64xi8>, vector<4xi8>
  loop.store %i, %z[0] : memref<4xi8>, vector<4xi8>
  %j = vector.bitcast %i : vector<4xi8> to vector<1xi32>
  %l = vector.extract %j[0] : i32 from vector<1xi32>
  %n = vector.broadcast %l : i32 to vector<4xi32>
  %o = loop.dot %n, %w, %u of i8, i8 : vector<4xi32>, vector<4xi32>
  loop.store %i, %x[12] : memref<64xi8>, vector<4xi8>
  %p = loop.load %x[12] : memref<64xi8>, vector<4xi8>
  %q = vector.bitcast %p : vector<4xi8> to vector<1xi32>
  %r = vector.extract %q[0] : i32 from vector<1xi32>
  %v = vector.broadcast %r : i32 to vector<4xi32>
  %z1 = loop.dot %v, %w, %o of i8, i8 : vector<4xi32>, vector<4xi32>
  loop.store %z1, %y[0] : memref<4xi32>, vector<4xi32>
  return
}

// Halves of words are no words.
// CHECK-LABEL: @halves
// CHECK-COUNT-2: loop.load %x[{{[0-9]+}}] : memref<64xi8>, vector<4xi8>
func.func private @halves(%x: memref<64xi8>, %k: memref<4xi32>, %y: memref<8xi16> {mlc.output}, %z: memref<4xi32> {mlc.output}) {
  %a = loop.load %x[0] : memref<64xi8>, vector<4xi8>
  %b = vector.bitcast %a : vector<4xi8> to vector<2xi16>
  %c = vector.extract %b[0] : i16 from vector<2xi16>
  %d = vector.broadcast %c : i16 to vector<4xi16>
  loop.store %d, %y[0] : memref<8xi16>, vector<4xi16>
  %e = loop.load %x[4] : memref<64xi8>, vector<4xi8>
  %f = vector.bitcast %e : vector<4xi8> to vector<2xi16>
  %g = vector.extract %f[0] : i16 from vector<2xi16>
  %h = vector.broadcast %g : i16 to vector<4xi16>
  loop.store %h, %y[4] : memref<8xi16>, vector<4xi16>
  %w = loop.load %k[0] : memref<4xi32>, vector<4xi32>
  %s = arith.constant dense<0> : vector<4xi32>
  %t = loop.dot %w, %w, %s of i8, i8 : vector<4xi32>, vector<4xi32>
  loop.store %t, %z[0] : memref<4xi32>, vector<4xi32>
  return
}

// A word that is loaded twice is loaded once: what stands for both comes before the first use of either.
// CHECK-LABEL: @twice
// LANES:      loop.load %x[0] : memref<64xi8>, vector<8xi8>
// LANES-NOT:  loop.load %x
func.func private @twice(%x: memref<64xi8>, %k: memref<4xi32>, %y: memref<4xi32> {mlc.output}) {
  %w = loop.load %k[0] : memref<4xi32>, vector<4xi32>
  %s = arith.constant dense<0> : vector<4xi32>
  %a = loop.load %x[0] : memref<64xi8>, vector<4xi8>
  %b = vector.bitcast %a : vector<4xi8> to vector<1xi32>
  %c = vector.extract %b[0] : i32 from vector<1xi32>
  %d = vector.broadcast %c : i32 to vector<4xi32>
  %t = loop.dot %d, %w, %s of i8, i8 : vector<4xi32>, vector<4xi32>
  %e = loop.load %x[4] : memref<64xi8>, vector<4xi8>
  %f = vector.bitcast %e : vector<4xi8> to vector<1xi32>
  %g = vector.extract %f[0] : i32 from vector<1xi32>
  %h = vector.broadcast %g : i32 to vector<4xi32>
  %u = loop.dot %h, %w, %t of i8, i8 : vector<4xi32>, vector<4xi32>
  %i = loop.load %x[0] : memref<64xi8>, vector<4xi8>
  %j = vector.bitcast %i : vector<4xi8> to vector<1xi32>
  %l = vector.extract %j[0] : i32 from vector<1xi32>
  %m = vector.broadcast %l : i32 to vector<4xi32>
  %n = loop.dot %m, %w, %u of i8, i8 : vector<4xi32>, vector<4xi32>
  loop.store %n, %y[0] : memref<4xi32>, vector<4xi32>
  return
}

// Two long words fill a register. They are no neighbours of short ones.
// CHECK-LABEL: @long
// LANES:      %[[R:.*]] = loop.load %x[16] : memref<64xi8>, vector<16xi8>
// LANES-NEXT: %[[W:.*]] = vector.bitcast %[[R]] : vector<16xi8> to vector<2xi64>
// LANES:      %[[A:.*]] = vector.shuffle %[[W]], %[[W]] [0, 0, 0, 0] : vector<2xi64>, vector<2xi64>
// LANES-NEXT: loop.dot %w, %[[A]], %{{.*}} of i8, i8 : vector<4xi64>, vector<4xi32>
// LANES:      %[[B:.*]] = vector.shuffle %[[W]], %[[W]] [1, 1, 1, 1] : vector<2xi64>, vector<2xi64>
// LANES-NEXT: loop.dot %w, %[[B]],
// LANES:      loop.load %x[32] : memref<64xi8>, vector<16xi8>
// LANES-COUNT-2: loop.dot %w, %
// LANES:      loop.load %x[48] : memref<64xi8>, vector<4xi8>
// LANES:      loop.dot %{{.*}}, %v,
// ALL-COUNT-4: loop.load %x[{{.*}}] : memref<64xi8>, vector<8xi8>
func.func private @long(%x: memref<64xi8>, %l: memref<4xi64>, %s: memref<4xi32>, %y: memref<4xi32> {mlc.output}) {
  %w = loop.load %l[0] : memref<4xi64>, vector<4xi64>
  %v = loop.load %s[0] : memref<4xi32>, vector<4xi32>
  %zero = arith.constant dense<0> : vector<4xi32>
  %a0 = loop.load %x[16] : memref<64xi8>, vector<8xi8>
  %b0 = vector.bitcast %a0 : vector<8xi8> to vector<1xi64>
  %c0 = vector.extract %b0[0] : i64 from vector<1xi64>
  %d0 = vector.broadcast %c0 : i64 to vector<4xi64>
  %t0 = loop.dot %d0, %w, %zero of i8, i8 : vector<4xi64>, vector<4xi32>
  %a1 = loop.load %x[24] : memref<64xi8>, vector<8xi8>
  %b1 = vector.bitcast %a1 : vector<8xi8> to vector<1xi64>
  %c1 = vector.extract %b1[0] : i64 from vector<1xi64>
  %d1 = vector.broadcast %c1 : i64 to vector<4xi64>
  %t1 = loop.dot %d1, %w, %t0 of i8, i8 : vector<4xi64>, vector<4xi32>
  %a2 = loop.load %x[32] : memref<64xi8>, vector<8xi8>
  %b2 = vector.bitcast %a2 : vector<8xi8> to vector<1xi64>
  %c2 = vector.extract %b2[0] : i64 from vector<1xi64>
  %d2 = vector.broadcast %c2 : i64 to vector<4xi64>
  %t2 = loop.dot %d2, %w, %t1 of i8, i8 : vector<4xi64>, vector<4xi32>
  %a3 = loop.load %x[40] : memref<64xi8>, vector<8xi8>
  %b3 = vector.bitcast %a3 : vector<8xi8> to vector<1xi64>
  %c3 = vector.extract %b3[0] : i64 from vector<1xi64>
  %d3 = vector.broadcast %c3 : i64 to vector<4xi64>
  %t3 = loop.dot %d3, %w, %t2 of i8, i8 : vector<4xi64>, vector<4xi32>
  %o = loop.load %x[48] : memref<64xi8>, vector<4xi8>
  %p = vector.bitcast %o : vector<4xi8> to vector<1xi32>
  %q = vector.extract %p[0] : i32 from vector<1xi32>
  %r = vector.broadcast %q : i32 to vector<4xi32>
  %z = loop.dot %r, %v, %t3 of i8, i8 : vector<4xi32>, vector<4xi32>
  loop.store %z, %y[0] : memref<4xi32>, vector<4xi32>
  return
}
