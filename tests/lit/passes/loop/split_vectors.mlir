// RUN: mlc-opt %s --split-vectors --check-each | filecheck %s
// RUN: mlc-opt %s --split-vectors --split-vectors --verify-each | filecheck %s
// RUN: mlc-opt %s --split-vectors --lower-to-llvm --target=x86-64-v4 --emit=llvm-ir | filecheck %s --check-prefix=LLVM

// Loops carry the parts, of which each has its part of a row; a loop that carries none stays.
// CHECK-LABEL: @product
// CHECK:       loop.for parallel "m" %m = 0 to 4 {
// CHECK-NEXT:    %[[Z0:.*]] = arith.constant dense<0.000000e+00> : vector<64xf32>
// CHECK-NEXT:    %[[Z1:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-NEXT:    %s, %[[S:.*]] = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %[[Z0]], %[[ACC:.*]] = %[[Z1]]) -> (vector<64xf32>, vector<16xf32>) {
// CHECK-NEXT:      %a = loop.load %x[%m, %k] : memref<4x8xf32>
// CHECK-NEXT:      %b = vector.broadcast %a : f32 to vector<64xf32>
// CHECK-NEXT:      %[[B:.*]] = vector.broadcast %a : f32 to vector<16xf32>
// CHECK-NEXT:      %c = loop.load %w[%k, 3] : memref<8x90xf32>, vector<64xf32>
// CHECK-NEXT:      %[[C:.*]] = loop.load %w[%k, 67] : memref<8x90xf32>, vector<16xf32>
// CHECK-NEXT:      %d = math.fma %b, %c, %acc : vector<64xf32>
// CHECK-NEXT:      %[[D:.*]] = math.fma %[[B]], %[[C]], %[[ACC]] : vector<16xf32>
// CHECK-NEXT:      loop.yield %d, %[[D]] : vector<64xf32>, vector<16xf32>
// CHECK:         loop.store %s, %y[%m, 0] : memref<4x80xf32>, vector<64xf32>
// CHECK-NEXT:    loop.store %[[S]], %y[%m, 64] : memref<4x80xf32>, vector<16xf32>
// LLVM-LABEL:  @product
// LLVM-NOT:    <80 x
// LLVM:        ret void
func.func private @product(%x: memref<4x8xf32>, %w: memref<8x90xf32>, %y: memref<4x80xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    %zero = arith.constant dense<0.0> : vector<80xf32>
    %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (vector<80xf32>) {
      %a = loop.load %x[%m, %k] : memref<4x8xf32>
      %b = vector.broadcast %a : f32 to vector<80xf32>
      %c = loop.load %w[%k, 3] : memref<8x90xf32>, vector<80xf32>
      %d = math.fma %b, %c, %acc : vector<80xf32>
      loop.yield %d : vector<80xf32>
    }
    loop.store %s, %y[%m, 0] : memref<4x80xf32>, vector<80xf32>
  }
  return
}

// Lanes that are off: a part with none of them on reads zeros, and writes nothing. Lanes may go along columns.
// CHECK-LABEL: @active
// CHECK:       loop.load %x[2, 1] along 0 stride 2 : memref<60x8xf32>, vector<8xf32>
// CHECK-NEXT:  loop.load %x[18, 1] along 0 stride 2 active 2 : memref<60x8xf32>, vector<4xf32>
// CHECK-NEXT:  loop.load %w[0] active 7 : memref<7xf32>, vector<8xf32>
// CHECK-NEXT:  %[[OFF:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK:       arith.addf %{{.*}}, %[[OFF]] : vector<4xf32>
// CHECK:       loop.store %{{.*}}, %y[1] : memref<20xf32>, vector<8xf32>
// CHECK-NEXT:  loop.store %{{.*}}, %z[0] : memref<20xf32>, vector<8xf32>
// CHECK-NEXT:  loop.store %{{.*}}, %z[8] active 1 : memref<20xf32>, vector<4xf32>
// CHECK-NEXT:  return
func.func private @active(%x: memref<60x8xf32>, %w: memref<7xf32>, %y: memref<20xf32> {mlc.output}, %z: memref<20xf32> {mlc.output}) {
  %a = loop.load %x[2, 1] along 0 stride 2 active 10 : memref<60x8xf32>, vector<12xf32>
  %b = loop.load %w[0] active 7 : memref<7xf32>, vector<12xf32>
  %c = arith.addf %a, %b : vector<12xf32>
  loop.store %c, %y[1] active 8 : memref<20xf32>, vector<12xf32>
  loop.store %c, %z[0] active 9 : memref<20xf32>, vector<12xf32>
  return
}

// Constants with their own elements, scalars beside vectors, other types of as many lanes, three parts.
// CHECK-LABEL: @lanewise
// CHECK:       arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi32>
// CHECK-NEXT:  arith.constant dense<[16, 17, 18, 19, 20, 21, 22, 23]> : vector<8xi32>
// CHECK-NEXT:  arith.constant dense<[24, 25, 26, 27]> : vector<4xi32>
// CHECK:       arith.cmpi slt, %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK:       arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<16xi1>, vector<16xi32>
// CHECK:       arith.select %flag, %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK:       arith.trunci %{{.*}} : vector<4xi32> to vector<4xi8>
func.func private @lanewise(%x: memref<28xi32>, %f: memref<1xi1>, %y: memref<28xi8> {mlc.output}) {
  %n = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27]> : vector<28xi32>
  %a = loop.load %x[0] : memref<28xi32>, vector<28xi32>
  %flag = loop.load %f[0] : memref<1xi1>
  %b = arith.cmpi slt, %a, %n : vector<28xi32>
  %c = arith.select %b, %a, %n : vector<28xi1>, vector<28xi32>
  %d = arith.select %flag, %c, %a : vector<28xi32>
  %e = arith.trunci %d : vector<28xi32> to vector<28xi8>
  loop.store %e, %y[0] : memref<28xi8>, vector<28xi8>
  return
}

// Where one op takes the lanes as a whole, all of this length stay; so do powers of two, and odd lengths.
// CHECK-LABEL: @whole
// CHECK:       vector<12xf32>
// CHECK:       vector.shuffle
// CHECK:       loop.load %x[0] : memref<80xf32>, vector<64xf32>
// CHECK-NEXT:  loop.load %x[0] : memref<80xf32>, vector<7xf32>
// CHECK-NEXT:  loop.load %x[0] : memref<80xf32>, vector<16xf32>
// CHECK-NEXT:  loop.load %x[16] : memref<80xf32>, vector<4xf32>
func.func private @whole(%x: memref<80xf32>, %y: memref<80xf32> {mlc.output}) {
  %a = loop.load %x[0] : memref<80xf32>, vector<12xf32>
  %b = vector.shuffle %a, %a [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22] : vector<12xf32>, vector<12xf32>
  loop.store %b, %y[0] : memref<80xf32>, vector<12xf32>
  %c = loop.load %x[0] : memref<80xf32>, vector<64xf32>
  %d = loop.load %x[0] : memref<80xf32>, vector<7xf32>
  %e = loop.load %x[0] : memref<80xf32>, vector<20xf32>
  loop.store %c, %y[0] : memref<80xf32>, vector<64xf32>
  loop.store %d, %y[0] : memref<80xf32>, vector<7xf32>
  loop.store %e, %y[0] : memref<80xf32>, vector<20xf32>
  return
}

// Elements keep their bits, those of NaN as well.
// CHECK-LABEL: @bits
// CHECK:       arith.constant dense<[0xffe00001, -0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00]> : vector<8xf32>
// CHECK-NEXT:  arith.constant dense<[7.000000e+00, 8.000000e+00, 9.000000e+00, 0x7fc12345]> : vector<4xf32>
func.func private @bits(%y: memref<12xf32> {mlc.output}) {
  %a = arith.constant dense<[0xFFE00001, -0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0x7FC12345]> : vector<12xf32>
  loop.store %a, %y[0] : memref<12xf32>, vector<12xf32>
  return
}

// What other ops hold is not looked into.
// CHECK-LABEL: @inside
// CHECK:       arith.addf %{{.*}}, %{{.*}} : vector<12xf32>
func.func private @inside(%x: memref<12xf32>, %f: memref<1xi1>, %y: memref<12xf32> {mlc.output}) {
  %a = loop.load %x[0] : memref<12xf32>, vector<12xf32>
  %c = loop.load %f[0] : memref<1xi1>
  scf.if %c {
    %b = arith.addf %a, %a : vector<12xf32>
    loop.store %b, %y[0] : memref<12xf32>, vector<12xf32>
  }
  return
}

// One lane becomes all.
// CHECK-LABEL: @stretched
// CHECK:       vector.broadcast %a : vector<1xf32> to vector<12xf32>
func.func private @stretched(%x: memref<1xf32>, %y: memref<12xf32> {mlc.output}) {
  %a = loop.load %x[0] : memref<1xf32>, vector<1xf32>
  %b = vector.broadcast %a : vector<1xf32> to vector<12xf32>
  loop.store %b, %y[0] : memref<12xf32>, vector<12xf32>
  return
}

// Arguments of functions and blocks are what callers and branches pass.
// CHECK-LABEL: @arguments
// CHECK-SAME:  %v: vector<12xf32>
// CHECK:       arith.addf %v, %v : vector<12xf32>
func.func private @arguments(%v: vector<12xf32>, %y: memref<12xf32> {mlc.output}) {
  %a = arith.addf %v, %v : vector<12xf32>
  loop.store %a, %y[0] : memref<12xf32>, vector<12xf32>
  return
}

// Results of a loop that are used by a loop.
// CHECK-LABEL: @chain
// CHECK:       %a, %[[A:.*]], %n = loop.for serial "i"
// CHECK:       %b, %[[B:.*]] = loop.for serial "j" %j = 0 to 2 iter_args(%q = %a, %{{.*}} = %[[A]]) -> (vector<8xf32>, vector<4xf32>)
// CHECK:       loop.store %n, %k[0] : memref<1xi32>
func.func private @chain(%x: memref<12xf32>, %y: memref<12xf32> {mlc.output}, %k: memref<1xi32> {mlc.output}) {
  %s = loop.load %x[0] : memref<12xf32>, vector<12xf32>
  %one = arith.constant 1 : i32
  %a, %n = loop.for serial "i" %i = 0 to 3 iter_args(%p = %s, %c = %one) -> (vector<12xf32>, i32) {
    %d = arith.addi %c, %c : i32
    %r = arith.mulf %p, %s : vector<12xf32>
    loop.yield %r, %d : vector<12xf32>, i32
  }
  %b = loop.for serial "j" %j = 0 to 2 iter_args(%q = %a) -> (vector<12xf32>) {
    %t = arith.subf %q, %s : vector<12xf32>
    loop.yield %t : vector<12xf32>
  }
  loop.store %b, %y[0] : memref<12xf32>, vector<12xf32>
  loop.store %n, %k[0] : memref<1xi32>
  return
}
