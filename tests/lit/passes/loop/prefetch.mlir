// RUN: mlc-opt %s --prefetch="loops=k" --check-each | filecheck %s
// RUN: mlc-opt %s --prefetch="loops=k" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK
// RUN: mlc-opt %s --prefetch="loops=k" --plan-memory --lower-to-llvm --check-each | filecheck %s --check-prefix=LLVM
// RUN: not mlc-opt %s --prefetch 2>&1 | filecheck %s --check-prefix=NAMES
// NAMES: error: prefetch: expected the names of loops, as in "loops=k"

// A residual and the result are asked for in front of the loop, each line of 64 bytes once; the buffer is not.
// CHECK-LABEL: @tile
// CHECK: loop.for parallel "m" %[[M:.*]] = 0 to 8 {
// CHECK-NEXT: %{{.*}} = arith.constant
// CHECK-NEXT: loop.prefetch %r[%[[M]], 0] : memref<8x32xf32>
// CHECK-NEXT: loop.prefetch %r[%[[M]], 16] : memref<8x32xf32>
// CHECK-NEXT: loop.prefetch %y[%[[M]], 0] : memref<8x32xf32>
// CHECK-NEXT: loop.for serial "k"
// CHECK-NOT: loop.prefetch
// LLVM-LABEL: @tile
// LLVM: "llvm.intr.prefetch"(%{{.*}}) <{rw = 0 : i32, hint = 2 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()
func.func private @tile(%x: memref<8x64xf32>, %r: memref<8x32xf32>, %y: memref<8x32xf32> {mlc.output}) {
  %t = memref.alloc() : memref<8xf32>
  loop.for parallel "m" %m = 0 to 8 {
    %zero = arith.constant 0.0 : f32
    %s = loop.for serial "k" %k = 0 to 64 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<8x64xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    %b = loop.load %r[%m, 0] : memref<8x32xf32>
    %c = loop.load %r[%m, 15] : memref<8x32xf32>
    %d = loop.load %r[%m, 16] : memref<8x32xf32>
    %e = arith.addf %b, %c : f32
    %f = arith.addf %d, %e : f32
    %g = arith.addf %f, %s : f32
    loop.store %g, %t[%m] : memref<8xf32>
    loop.store %g, %y[%m, 0] : memref<8x32xf32>
  }
  return
}

// CHECK-LABEL: @nothing_behind
// CHECK-NOT: loop.prefetch
// REMARK: remark: nothing to prefetch: no argument is read or written after the loop 'k'
func.func private @nothing_behind(%x: memref<64xf32>, %y: memref<64xf32> {mlc.output}) {
  loop.for parallel "k" %k = 0 to 64 {
    %a = loop.load %x[%k] : memref<64xf32>
    loop.store %a, %y[%k] : memref<64xf32>
  }
  return
}

// Where the loop, or what follows it, computes the place, it is not known in front of it.
// CHECK-LABEL: @computed_place
// CHECK-NOT: loop.prefetch
// CHECK: return
func.func private @computed_place(%x: memref<8xi64>, %r: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0 : i64
  %seven = arith.constant 7 : i64
  loop.for serial "m" %m = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (i64) {
      %a = loop.load %x[%k] : memref<8xi64>
      %c = arith.addi %acc, %a : i64
      loop.yield %c : i64
    }
    %low = arith.andi %s, %seven : i64
    %i = arith.index_cast %low : i64 to index
    %v = loop.load %r[%i] : memref<8xf32>
    loop.store %v, %y[%i] : memref<8xf32>
  }
  return
}

// Of a short parallel loop behind it, all iterations count; a long one, and what is in a loop inside, are left out.
// CHECK-LABEL: @epilogue
// CHECK: loop.prefetch %r[%[[M:.*]], 0] : memref<8x32xf32>
// CHECK-NEXT: loop.prefetch %r[%[[M]] + 1, 0] : memref<8x32xf32>
// CHECK-NEXT: loop.prefetch %y[%[[M]], 3] : memref<8x32xf32>
// CHECK-NEXT: loop.prefetch %y[%[[M]] + 1, 3] : memref<8x32xf32>
// CHECK-NEXT: loop.for serial "k"
// CHECK-NOT: loop.prefetch
func.func private @epilogue(%x: memref<8x64xf32>, %r: memref<8x32xf32>, %y: memref<8x32xf32> {mlc.output}, %z: memref<8x64xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 8 step 2 {
    %zero = arith.constant 0.0 : f32
    %s = loop.for serial "k" %k = 0 to 64 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<8x64xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.for parallel "mi" %mi = 0 to 2 {
      %b = loop.load %r[%m + %mi, 0] : memref<8x32xf32>
      %f = arith.addf %b, %s : f32
      loop.store %f, %y[%m + %mi, 3] : memref<8x32xf32>
      loop.for parallel "n" %n = 4 to 8 {
        %d = loop.load %x[%m + %mi, %n] : memref<8x64xf32>
        loop.store %d, %y[%m + %mi, %n + 16] : memref<8x32xf32>
      }
    }
    loop.for parallel "j" %j = 0 to 33 {
      %d = loop.load %x[%m, %j] : memref<8x64xf32>
      loop.store %d, %z[%m, %j] : memref<8x64xf32>
    }
  }
  return
}

// A vector that goes along rows asks for each of its lines, a matrix for those of each row, and what goes along columns
// for its place. Of a vector whose last lanes are off, the lines of those count not.
// CHECK-LABEL: @wide
// CHECK: loop.for parallel "m" %[[M:.*]] = 0 to 8 {
// CHECK: loop.prefetch %r[%[[M]], 8] : memref<8x64xf32>
// CHECK-NEXT: loop.prefetch %r[%[[M]], 24] : memref<8x64xf32>
// CHECK-NEXT: loop.prefetch %s[0, %[[M]]] : memref<32x8xf32>
// CHECK-NEXT: loop.prefetch %y[%[[M]], 0] : memref<8x64xf32>
// CHECK-NEXT: loop.prefetch %y[%[[M]], 16] : memref<8x64xf32>
// CHECK-NEXT: loop.prefetch %y[%[[M]], 32] : memref<8x64xf32>
// CHECK-NEXT: loop.for serial "k"
// CHECK-NOT: loop.prefetch
func.func private @wide(%x: memref<8x64xf32>, %r: memref<8x64xf32>, %s: memref<32x8xf32>, %y: memref<8x64xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 8 {
    %zero = arith.constant dense<0.0> : vector<64xf32>
    %t = loop.for serial "k" %k = 0 to 64 iter_args(%acc = %zero) -> (vector<64xf32>) {
      %a = loop.load %x[%m, %k] : memref<8x64xf32>
      %c = vector.broadcast %a : f32 to vector<64xf32>
      %d = arith.addf %acc, %c : vector<64xf32>
      loop.yield %d : vector<64xf32>
    }
    %b = loop.load %r[%m, 8] : memref<8x64xf32>, vector<32xf32>
    %e = loop.load %s[0, %m] along 0 : memref<32x8xf32>, vector<32xf32>
    loop.store %t, %y[%m, 0] active 40 : memref<8x64xf32>, vector<64xf32>
  }
  return
}
