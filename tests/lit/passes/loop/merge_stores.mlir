// RUN: mlc-opt %s --split-input-file --merge-stores --target=icelake-server --check-each | filecheck %s
// RUN: mlc-opt %s --split-input-file --merge-stores --target=haswell --check-each | filecheck %s --check-prefix=SHORT

// Four vectors of bytes fill a register of 512 bits, two one of 256. What has two readers that become wide becomes wide;
// sums that are stored apart are put together, numbers of 32 bits that follow each other are loaded at once.

// CHECK-LABEL: @limits
// CHECK:         loop.for parallel "m"
// CHECK-DAG:       %[[A:.*]] = vector.shuffle %{{.*}}, %{{.*}} [0, 1, {{.*}}, 31] : vector<16xi32>, vector<16xi32>
// CHECK-DAG:       %[[B:.*]] = vector.shuffle %{{.*}}, %{{.*}} [0, 1, {{.*}}, 31] : vector<16xi32>, vector<16xi32>
// CHECK:           %[[S:.*]] = vector.shuffle %[[A]], %[[B]]
// CHECK:           %[[O:.*]] = loop.load %b[0] : memref<64xi32>, vector<64xi32>
// CHECK:           %[[T:.*]] = arith.addi %[[S]], %[[O]] : vector<64xi32>
// CHECK:           %[[L:.*]] = arith.constant dense<255> : vector<64xi32>
// CHECK:           %[[M:.*]] = arith.cmpi slt, %[[T]], %[[L]] : vector<64xi32>
// CHECK:           %[[C:.*]] = arith.select %[[M]], %[[T]], %[[L]] : vector<64xi1>, vector<64xi32>
// CHECK:           %[[Y:.*]] = arith.trunci %[[C]] : vector<64xi32> to vector<64xi8>
// CHECK:           loop.store %[[Y]], %y[%m, 0] : memref<8x64xi8>, vector<64xi8>
// CHECK-NOT:       loop.store
// SHORT-LABEL: @limits
// SHORT-COUNT-2: loop.store {{.*}} vector<32xi8>
// SHORT-LABEL: @three
func.func @limits(%s0: memref<8x16xi32>, %s1: memref<8x16xi32>, %s2: memref<8x16xi32>, %s3: memref<8x16xi32>,
                  %b: memref<64xi32>, %y: memref<8x64xi8> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 8 {
    %l = arith.constant dense<255> : vector<16xi32>
    %a0 = loop.load %s0[%m, 0] : memref<8x16xi32>, vector<16xi32>
    %a1 = loop.load %s1[%m, 0] : memref<8x16xi32>, vector<16xi32>
    %a2 = loop.load %s2[%m, 0] : memref<8x16xi32>, vector<16xi32>
    %a3 = loop.load %s3[%m, 0] : memref<8x16xi32>, vector<16xi32>
    %b0 = loop.load %b[0] : memref<64xi32>, vector<16xi32>
    %b1 = loop.load %b[16] : memref<64xi32>, vector<16xi32>
    %b2 = loop.load %b[32] : memref<64xi32>, vector<16xi32>
    %b3 = loop.load %b[48] : memref<64xi32>, vector<16xi32>
    %t0 = arith.addi %a0, %b0 : vector<16xi32>
    %t1 = arith.addi %a1, %b1 : vector<16xi32>
    %t2 = arith.addi %a2, %b2 : vector<16xi32>
    %t3 = arith.addi %a3, %b3 : vector<16xi32>
    %m0 = arith.cmpi slt, %t0, %l : vector<16xi32>
    %m1 = arith.cmpi slt, %t1, %l : vector<16xi32>
    %m2 = arith.cmpi slt, %t2, %l : vector<16xi32>
    %m3 = arith.cmpi slt, %t3, %l : vector<16xi32>
    %c0 = arith.select %m0, %t0, %l : vector<16xi1>, vector<16xi32>
    %c1 = arith.select %m1, %t1, %l : vector<16xi1>, vector<16xi32>
    %c2 = arith.select %m2, %t2, %l : vector<16xi1>, vector<16xi32>
    %c3 = arith.select %m3, %t3, %l : vector<16xi1>, vector<16xi32>
    %y0 = arith.trunci %c0 : vector<16xi32> to vector<16xi8>
    %y1 = arith.trunci %c1 : vector<16xi32> to vector<16xi8>
    %y2 = arith.trunci %c2 : vector<16xi32> to vector<16xi8>
    %y3 = arith.trunci %c3 : vector<16xi32> to vector<16xi8>
    loop.store %y0, %y[%m, 0] : memref<8x64xi8>, vector<16xi8>
    loop.store %y2, %y[%m, 32] : memref<8x64xi8>, vector<16xi8>
    loop.store %y1, %y[%m, 16] : memref<8x64xi8>, vector<16xi8>
    loop.store %y3, %y[%m, 48] : memref<8x64xi8>, vector<16xi8>
  }
  return
}

// -----

// Three are two and one. Bytes that somebody else reads, too, are not put together.

// CHECK-LABEL: @three
// CHECK:         %[[W:.*]] = arith.trunci %{{.*}} : vector<32xi32> to vector<32xi8>
// CHECK:         loop.store %[[W]], %y[0] : memref<48xi8>, vector<32xi8>
// CHECK:         loop.store %{{.*}}, %y[32] : memref<48xi8>, vector<16xi8>
// CHECK-COUNT-3: vector<16xi8>
// CHECK-NOT:     vector<32xi8>
func.func @three(%x: memref<48xi32>, %z: memref<16xi8> {mlc.output}, %y: memref<48xi8> {mlc.output}, %v: memref<32xi8> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 1 {
    %a = loop.load %x[%m] : memref<48xi32>, vector<16xi32>
    %b = loop.load %x[%m + 16] : memref<48xi32>, vector<16xi32>
    %c = loop.load %x[%m + 32] : memref<48xi32>, vector<16xi32>
    %p = arith.trunci %a : vector<16xi32> to vector<16xi8>
    %q = arith.trunci %b : vector<16xi32> to vector<16xi8>
    %r = arith.trunci %c : vector<16xi32> to vector<16xi8>
    loop.store %p, %y[0] : memref<48xi8>, vector<16xi8>
    loop.store %q, %y[16] : memref<48xi8>, vector<16xi8>
    loop.store %r, %y[32] : memref<48xi8>, vector<16xi8>
    %d = loop.load %x[%m] : memref<48xi32>, vector<16xi32>
    %e = loop.load %x[%m + 16] : memref<48xi32>, vector<16xi32>
    %f = arith.trunci %d : vector<16xi32> to vector<16xi8>
    %g = arith.trunci %e : vector<16xi32> to vector<16xi8>
    loop.store %f, %v[0] : memref<32xi8>, vector<16xi8>
    loop.store %g, %v[16] : memref<32xi8>, vector<16xi8>
    loop.store %g, %z[0] : memref<16xi8>, vector<16xi8>
  }
  return
}

// -----

// What is read, or written again, in between stays in this order; so do vectors that overlap, or have a gap between
// them, and floats are registers already.

// CHECK-LABEL: @between
// CHECK-COUNT-13: loop.store
// CHECK-NOT:     loop.store
// CHECK-LABEL: @unlike
func.func @between(%x: memref<32xi32>, %f: memref<32xf32>, %y: memref<64xi8> {mlc.output}, %g: memref<32xf32> {mlc.output},
                   %o: memref<64xi8> {mlc.output}, %w: memref<16xi8> {mlc.output}, %u: memref<64xi8> {mlc.output},
                   %v: memref<64xi8> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 1 {
    %c = loop.load %x[%m] : memref<32xi32>, vector<16xi32>
    %d = loop.load %x[%m + 16] : memref<32xi32>, vector<16xi32>
    %y0 = arith.trunci %c : vector<16xi32> to vector<16xi8>
    %y1 = arith.trunci %d : vector<16xi32> to vector<16xi8>
    loop.store %y0, %y[%m] : memref<64xi8>, vector<16xi8>
    %r = loop.load %y[%m + 8] : memref<64xi8>, vector<16xi8>
    loop.store %y1, %y[%m + 16] : memref<64xi8>, vector<16xi8>
    loop.store %r, %w[%m] : memref<16xi8>, vector<16xi8>
    %o0 = arith.trunci %c : vector<16xi32> to vector<16xi8>
    %o1 = arith.trunci %d : vector<16xi32> to vector<16xi8>
    %o2 = arith.trunci %c : vector<16xi32> to vector<16xi8>
    loop.store %o1, %o[%m + 16] : memref<64xi8>, vector<16xi8>
    loop.store %o2, %o[%m + 24] : memref<64xi8>, vector<16xi8>
    loop.store %o0, %o[%m] : memref<64xi8>, vector<16xi8>
    %u0 = arith.trunci %c : vector<16xi32> to vector<16xi8>
    %u1 = arith.trunci %d : vector<16xi32> to vector<16xi8>
    loop.store %u0, %u[%m] : memref<64xi8>, vector<16xi8>
    loop.store %u1, %u[%m + 17] : memref<64xi8>, vector<16xi8>
    %v0 = arith.trunci %c : vector<16xi32> to vector<16xi8>
    %v1 = arith.trunci %d : vector<16xi32> to vector<16xi8>
    loop.store %v0, %v[%m] : memref<64xi8>, vector<16xi8>
    loop.store %r, %v[8] : memref<64xi8>, vector<16xi8>
    loop.store %v1, %v[%m + 16] : memref<64xi8>, vector<16xi8>
    %p = loop.load %f[%m] : memref<32xf32>, vector<16xf32>
    %q = loop.load %f[%m + 16] : memref<32xf32>, vector<16xf32>
    %p1 = arith.negf %p : vector<16xf32>
    %q1 = arith.negf %q : vector<16xf32>
    loop.store %p1, %g[%m] : memref<32xf32>, vector<16xf32>
    loop.store %q1, %g[%m + 16] : memref<32xf32>, vector<16xf32>
  }
  return
}

// -----

// Zeros of two signs are two numbers, and ops of two kinds are two ops.

// CHECK-DAG:     arith.constant dense<-0.000000e+00> : vector<16xf32>
// CHECK-DAG:     arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK:         arith.divf %{{.*}}, %{{.*}} : vector<32xf32>
// CHECK:         %[[P:.*]] = arith.maxsi
// CHECK:         %[[Q:.*]] = arith.minsi
// CHECK:         vector.shuffle %[[P]], %[[Q]]
func.func @unlike(%x: memref<32xf32>, %i: memref<32xi32>, %y: memref<32xi8> {mlc.output}, %z: memref<32xi8> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 1 {
    %n = arith.constant dense<-0.0> : vector<16xf32>
    %o = arith.constant dense<0.0> : vector<16xf32>
    %a = loop.load %x[%m] : memref<32xf32>, vector<16xf32>
    %b = loop.load %x[%m + 16] : memref<32xf32>, vector<16xf32>
    %c = arith.divf %a, %n : vector<16xf32>
    %d = arith.divf %b, %o : vector<16xf32>
    %e = arith.bitcast %c : vector<16xf32> to vector<16xi32>
    %f = arith.bitcast %d : vector<16xf32> to vector<16xi32>
    %g = arith.trunci %e : vector<16xi32> to vector<16xi8>
    %h = arith.trunci %f : vector<16xi32> to vector<16xi8>
    loop.store %g, %y[%m] : memref<32xi8>, vector<16xi8>
    loop.store %h, %y[%m + 16] : memref<32xi8>, vector<16xi8>
    %j = loop.load %i[%m] : memref<32xi32>, vector<16xi32>
    %k = loop.load %i[%m + 16] : memref<32xi32>, vector<16xi32>
    %l = arith.maxsi %j, %k : vector<16xi32>
    %p = arith.minsi %j, %k : vector<16xi32>
    %q = arith.trunci %l : vector<16xi32> to vector<16xi8>
    %r = arith.trunci %p : vector<16xi32> to vector<16xi8>
    loop.store %q, %z[%m] : memref<32xi8>, vector<16xi8>
    loop.store %r, %z[%m + 16] : memref<32xi8>, vector<16xi8>
  }
  return
}

// -----

// Comparisons of two kinds are two ops. Bytes are loaded a register of their sums at a time. Parts in another order, of
// two buffers, or of one that is stored to, are put together.

// CHECK-LABEL: @apart
// CHECK-DAG:     arith.cmpi slt, {{.*}} : vector<16xi32>
// CHECK-DAG:     arith.cmpi sgt, {{.*}} : vector<16xi32>
// CHECK:         arith.select %{{.*}} : vector<32xi1>, vector<32xi32>
// CHECK-NOT:     loop.load %b{{.*}} vector<32xi8>
// CHECK:         arith.maxsi %{{.*}} : vector<32xi8>
// CHECK-NOT:     loop.load {{.*}} vector<32xi
func.func @apart(%i: memref<32xi32>, %h: memref<32xi32>, %w: memref<32xi8> {mlc.output}, %b: memref<32xi8>, %t: memref<32xi32> {mlc.output}, %y: memref<32xi8> {mlc.output},
                 %z: memref<32xi8> {mlc.output}, %u: memref<32xi8> {mlc.output}, %v: memref<32xi8> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 1 {
    %n = arith.constant dense<5> : vector<16xi32>
    %j = loop.load %i[%m] : memref<32xi32>, vector<16xi32>
    %k = loop.load %i[%m + 16] : memref<32xi32>, vector<16xi32>
    %p = arith.cmpi slt, %j, %n : vector<16xi32>
    %q = arith.cmpi sgt, %k, %n : vector<16xi32>
    %c = arith.select %p, %j, %n : vector<16xi1>, vector<16xi32>
    %d = arith.select %q, %k, %n : vector<16xi1>, vector<16xi32>
    %e = arith.trunci %c : vector<16xi32> to vector<16xi8>
    %f = arith.trunci %d : vector<16xi32> to vector<16xi8>
    loop.store %e, %y[%m] : memref<32xi8>, vector<16xi8>
    loop.store %f, %y[%m + 16] : memref<32xi8>, vector<16xi8>
    %b0 = loop.load %b[%m] : memref<32xi8>, vector<16xi8>
    %b1 = loop.load %b[%m + 16] : memref<32xi8>, vector<16xi8>
    %c0 = arith.maxsi %b0, %b1 : vector<16xi8>
    %c1 = arith.maxsi %b1, %b1 : vector<16xi8>
    loop.store %c0, %z[%m] : memref<32xi8>, vector<16xi8>
    loop.store %c1, %z[%m + 16] : memref<32xi8>, vector<16xi8>
    %l = loop.load %h[%m + 16] : memref<32xi32>, vector<16xi32>
    %w0 = arith.trunci %j : vector<16xi32> to vector<16xi8>
    %w1 = arith.trunci %l : vector<16xi32> to vector<16xi8>
    loop.store %w0, %w[%m] : memref<32xi8>, vector<16xi8>
    loop.store %w1, %w[%m + 16] : memref<32xi8>, vector<16xi8>
    %u0 = arith.trunci %k : vector<16xi32> to vector<16xi8>
    %u1 = arith.trunci %j : vector<16xi32> to vector<16xi8>
    loop.store %u0, %u[%m] : memref<32xi8>, vector<16xi8>
    loop.store %u1, %u[%m + 16] : memref<32xi8>, vector<16xi8>
    loop.store %k, %t[%m] : memref<32xi32>, vector<16xi32>
    %t0 = loop.load %t[%m] : memref<32xi32>, vector<16xi32>
    loop.store %j, %t[%m + 16] : memref<32xi32>, vector<16xi32>
    %t1 = loop.load %t[%m + 16] : memref<32xi32>, vector<16xi32>
    loop.store %j, %t[%m] : memref<32xi32>, vector<16xi32>
    %v0 = arith.trunci %t0 : vector<16xi32> to vector<16xi8>
    %v1 = arith.trunci %t1 : vector<16xi32> to vector<16xi8>
    loop.store %v0, %v[%m] : memref<32xi8>, vector<16xi8>
    loop.store %v1, %v[%m + 16] : memref<32xi8>, vector<16xi8>
  }
  return
}
