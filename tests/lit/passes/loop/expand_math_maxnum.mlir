// RUN: mlc-opt %s --expand-math --target=x86-64-v3 --check-each | filecheck %s
// RUN: mlc-opt %s --expand-math --target=aarch64 --check-each | filecheck %s --check-prefix=ARM

// The maximum of a row starts from a number, and a number wins against NaN: one comparison and choice, which is one
// instruction of x86. The lanes are no NaN either. ARM has an instruction for what is written.
// CHECK-LABEL: @row
// CHECK: loop.for serial "k" %{{.*}} = 0 to 32 step 4 iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK-NEXT: %[[A:.*]] = loop.load %x
// CHECK-NEXT: %[[C:.*]] = arith.cmpf ogt, %[[A]], %[[ACC]] : vector<4xf32>
// CHECK-NEXT: arith.select %[[C]], %[[A]], %[[ACC]] : vector<4xi1>, vector<4xf32>
// CHECK: vector.reduction <maxnumf>, %{{.*}} fastmath<nnan> : vector<4xf32> into f32
// ARM-LABEL: @row
// ARM: arith.maxnumf
// ARM: vector.reduction <maxnumf>, %{{.*}} fastmath<nnan> : vector<4xf32> into f32
func.func private @row(%x: memref<32xf32>, %y: memref<1xf32> {mlc.output}) {
  %least = arith.constant dense<0xff800000> : vector<4xf32>
  %g = loop.for serial "k" %k = 0 to 32 step 4 iter_args(%acc = %least) -> (vector<4xf32>) {
    %a = loop.load %x[%k] : memref<32xf32>, vector<4xf32>
    %c = arith.maxnumf %a, %acc : vector<4xf32>
    loop.yield %c : vector<4xf32>
  }
  %s = vector.reduction <maxnumf>, %g : vector<4xf32> into f32
  loop.store %s, %y[0] : memref<1xf32>
  return
}

// What starts from NaN, from memory, or goes on from something else may be NaN.
// CHECK-LABEL: @may_be_nan
// CHECK-NOT: arith.cmpf
// CHECK-COUNT-3: arith.maxnumf
// CHECK: vector.reduction <maxnumf>, %{{[^ ]*}} : vector<4xf32> into f32
func.func private @may_be_nan(%x: memref<32xf32>, %v: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %nan = arith.constant 0x7fc00000 : f32
  %one = arith.constant 1.0 : f32
  %a0 = loop.load %x[0] : memref<32xf32>
  %r, %s, %t = loop.for serial "k" %k = 0 to 32 iter_args(%p = %nan, %q = %a0, %o = %one) -> (f32, f32, f32) {
    %a = loop.load %x[%k] : memref<32xf32>
    %c = arith.maxnumf %p, %a : f32
    %d = arith.maxnumf %a, %q : f32
    %e = arith.maxnumf %a, %o : f32
    %f = arith.subf %e, %a : f32
    loop.yield %c, %d, %f : f32, f32, f32
  }
  %w = loop.load %v[0] : memref<4xf32>, vector<4xf32>
  %u = vector.reduction <maxnumf>, %w : vector<4xf32> into f32
  loop.store %r, %y[0] : memref<4xf32>
  loop.store %s, %y[1] : memref<4xf32>
  loop.store %t, %y[2] : memref<4xf32>
  loop.store %u, %y[3] : memref<4xf32>
  return
}

// The smaller of two is the same from the other side, and either operand may be the one that is known.
// CHECK-LABEL: @smaller
// CHECK: arith.cmpf olt, %a, %{{.*}} : f64
// CHECK-NOT: arith.minnumf
func.func private @smaller(%x: memref<1xf64>, %y: memref<1xf64> {mlc.output}) {
  %most = arith.constant 2.0 : f64
  %a = loop.load %x[0] : memref<1xf64>
  %b = arith.minnumf %most, %a : f64
  loop.store %b, %y[0] : memref<1xf64>
  return
}

// Of two that may be NaN nothing is known, nor of lanes one of which is, nor of what an unordered comparison chooses.
// CHECK-LABEL: @unknown
// CHECK-COUNT-2: arith.maxnumf
// CHECK: vector.reduction <maxnumf>, %{{[^ ]*}} : vector<4xf32> into f32
// CHECK: arith.maxnumf
func.func private @unknown(%x: memref<4xf32>, %v: memref<4xf32>, %y: memref<3xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  %lanes = arith.constant dense<[1.0, 0x7fc00000, 2.0, 3.0]> : vector<4xf32>
  %a = loop.load %x[0] : memref<4xf32>
  %b = loop.load %x[1] : memref<4xf32>
  %c = loop.load %x[2] : memref<4xf32>
  %m = arith.maxnumf %a, %b : f32
  %r = arith.maxnumf %m, %c : f32
  %s = vector.reduction <maxnumf>, %lanes : vector<4xf32> into f32
  %larger = arith.cmpf ugt, %a, %one : f32
  %chosen = arith.select %larger, %a, %one : f32
  %t = arith.maxnumf %chosen, %c : f32
  loop.store %r, %y[0] : memref<3xf32>
  loop.store %s, %y[1] : memref<3xf32>
  loop.store %t, %y[2] : memref<3xf32>
  return
}
