// RUN: mlc-opt %s --cache-write="loop=k out-of=n" --check-each | filecheck %s
// RUN: mlc-opt %s --cache-write="loop=k out-of=n" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK
// RUN: not mlc-opt %s --cache-write="loop=k" 2>&1 | filecheck %s --check-prefix=NAMES
// NAMES: error: cache-write: expected the names of two loops, as in "loop=k out-of=n"

// The sums start in a buffer, wait there between the iterations of k, and are read from it at the end. The buffer is laid
// out as the result is.
// CHECK-LABEL: @product
// CHECK-NEXT: %[[T:.*]] = memref.alloc() : memref<8x32xf32>
// CHECK-NEXT: loop.for parallel "n" %[[N:.*]] = 0 to 32 {
// CHECK-NEXT:   loop.for parallel "m" %[[M:.*]] = 0 to 8 {
// CHECK-NEXT:     %[[ZERO:.*]] = arith.constant 0
// CHECK-NEXT:     loop.store %[[ZERO]], %[[T]][%[[M]], %[[N]]] : memref<8x32xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.for serial "k" %[[K:.*]] = 0 to 64 {
// CHECK-NEXT:   loop.for parallel "n" %[[N1:.*]] = 0 to 32 {
// CHECK-NEXT:     loop.for parallel "m" %[[M1:.*]] = 0 to 8 {
// CHECK-NEXT:       %[[ACC:.*]] = loop.load %[[T]][%[[M1]], %[[N1]]] : memref<8x32xf32>
// CHECK-NEXT:       %[[A:.*]] = loop.load %x[%[[M1]], %[[K]]]
// CHECK-NEXT:       %[[B:.*]] = loop.load %w[%[[K]], %[[N1]]]
// CHECK-NEXT:       %[[P:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT:       %[[S:.*]] = arith.addf %[[ACC]], %[[P]]
// CHECK-NEXT:       loop.store %[[S]], %[[T]][%[[M1]], %[[N1]]] : memref<8x32xf32>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.for parallel "n" %[[N2:.*]] = 0 to 32 {
// CHECK-NEXT:   loop.for parallel "m" %[[M2:.*]] = 0 to 8 {
// CHECK-NEXT:     %[[R:.*]] = loop.load %[[T]][%[[M2]], %[[N2]]] : memref<8x32xf32>
// CHECK-NEXT:     %[[D:.*]] = arith.addf %[[R]], %[[R]]
// CHECK-NEXT:     loop.store %[[D]], %y[%[[M2]], %[[N2]]]
func.func private @product(%x: memref<8x64xf32>, %w: memref<64x32xf32>, %y: memref<8x32xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 32 {
    loop.for parallel "m" %m = 0 to 8 {
      %zero = arith.constant 0.0 : f32
      %s = loop.for serial "k" %k = 0 to 64 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %x[%m, %k] : memref<8x64xf32>
        %b = loop.load %w[%k, %n] : memref<64x32xf32>
        %p = arith.mulf %a, %b : f32
        %c = arith.addf %acc, %p : f32
        loop.yield %c : f32
      }
      %d = arith.addf %s, %s : f32
      loop.store %d, %y[%m, %n] : memref<8x32xf32>
    }
  }
  return
}

// Loops in the reduction stay in it; a loop that does not start at 0 has a buffer of its own length; what the body needs
// from in front of it is computed in each iteration.
// CHECK-LABEL: @window
// CHECK: %[[T:.*]] = memref.alloc() : memref<6xf32>
// CHECK: loop.for parallel "n" %[[N:.*]] = 1 to 7 {
// CHECK-NEXT: arith.constant 0
// CHECK-NEXT: loop.store %{{.*}}, %[[T]][%[[N]] - 1]
// CHECK: loop.for serial "k"
// CHECK-NEXT: loop.for parallel "n"
// CHECK-NEXT: %[[SCALE:.*]] = loop.load %v[0]
// CHECK-NEXT: %[[ACC:.*]] = loop.load %[[T]][%{{.*}} - 1]
// CHECK-NEXT: loop.for serial "j" %{{.*}} = 0 to 3 iter_args(%{{.*}} = %[[ACC]]) -> (f32)
// CHECK: arith.mulf %{{.*}}, %[[SCALE]]
func.func private @window(%x: memref<16xf32>, %v: memref<1xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 1 to 7 {
    %scale = loop.load %v[0] : memref<1xf32>
    %zero = arith.constant 0.0 : f32
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %t = loop.for serial "j" %j = 0 to 3 iter_args(%inner = %acc) -> (f32) {
        %a = loop.load %x[%n + %k + %j] : memref<16xf32>
        %b = arith.mulf %a, %scale : f32
        %c = arith.addf %inner, %b : f32
        loop.yield %c : f32
      }
      loop.yield %t : f32
    }
    loop.store %s, %y[%n] : memref<8xf32>
  }
  return
}

// CHECK-LABEL: @serial
// CHECK-NOT: memref.alloc
// REMARK: remark: loop 'k' not hoisted: 'n' is not parallel
func.func private @serial(%x: memref<8x64xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for serial "n" %n = 0 to 8 {
    %zero = arith.constant 0.0 : f32
    %s = loop.for serial "k" %k = 0 to 64 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%n, %k] : memref<8x64xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%n] : memref<8xf32>
  }
  return
}

// CHECK-LABEL: @blocks
// CHECK-NOT: memref.alloc
// REMARK: remark: loop 'k' not hoisted: 'n' runs over blocks; tile it afterwards
func.func private @blocks(%x: memref<8x64xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 step 4 {
    %zero = arith.constant 0.0 : f32
    %s = loop.for serial "k" %k = 0 to 64 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%n, %k] : memref<8x64xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%n] : memref<8xf32>
  }
  return
}

// CHECK-LABEL: @not_alone
// CHECK-NOT: memref.alloc
// REMARK: remark: loop 'k' not hoisted: 'loop.store' stands before it
func.func private @not_alone(%x: memref<8x64xf32>, %z: memref<8xf32> {mlc.output}, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 {
    %zero = arith.constant 0.0 : f32
    loop.store %zero, %z[%n] : memref<8xf32>
    %s = loop.for serial "k" %k = 0 to 64 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%n, %k] : memref<8x64xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%n] : memref<8xf32>
  }
  return
}

// CHECK-LABEL: @carries_nothing
// CHECK-NOT: memref.alloc
// REMARK: remark: loop 'k' not hoisted: it carries no values
func.func private @carries_nothing(%x: memref<8x64xf32>, %y: memref<8x64xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 {
    loop.for serial "k" %k = 0 to 64 {
      %a = loop.load %x[%n, %k] : memref<8x64xf32>
      loop.store %a, %y[%n, %k] : memref<8x64xf32>
    }
  }
  return
}

// CHECK-LABEL: @elsewhere
// CHECK-NOT: memref.alloc
// REMARK: remark: loop 'k' not hoisted: it is in no loop 'n'
func.func private @elsewhere(%x: memref<64xf32>, %y: memref<1xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 64 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<64xf32>
    %c = arith.addf %acc, %a : f32
    loop.yield %c : f32
  }
  loop.store %s, %y[0] : memref<1xf32>
  return
}

// What is read in front of the loop changes in it.
// CHECK-LABEL: @moving_start
// CHECK: loop.for parallel "n"
// CHECK-NEXT: loop.load
// CHECK-NEXT: loop.for serial "k"
// REMARK: remark: loop 'k' not hoisted: it writes what is read before it
func.func private @moving_start(%x: memref<8x4xf32>, %y: memref<8xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  loop.for parallel "i" %i = 0 to 8 {
    loop.store %one, %y[%i] : memref<8xf32>
  }
  loop.for parallel "n" %n = 0 to 8 {
    %start = loop.load %y[%n] : memref<8xf32>
    %s = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %start) -> (f32) {
      %a = loop.load %x[%n, %k] : memref<8x4xf32>
      %b = arith.mulf %a, %start : f32
      loop.store %b, %y[%n] : memref<8xf32>
      %c = arith.addf %acc, %b : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%n] : memref<8xf32>
  }
  return
}

// Vectors wait in rows of their own.
// CHECK-LABEL: @vectors
// CHECK: %[[T:.*]] = memref.alloc() : memref<2x4xf32>
// CHECK: loop.store %{{.*}}, %[[T]][%{{.*}}, 0] : memref<2x4xf32>, vector<4xf32>
// CHECK: loop.for serial "k"
// CHECK: loop.load %[[T]][%{{.*}}, 0] : memref<2x4xf32>, vector<4xf32>
func.func private @vectors(%x: memref<3x8xf32>, %y: memref<8xf32> {mlc.output}) {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  loop.for parallel "n" %n = 0 to 2 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (vector<4xf32>) {
      %a = loop.load %x[%k, %n * 4] : memref<3x8xf32>, vector<4xf32>
      %c = arith.addf %acc, %a : vector<4xf32>
      loop.yield %c : vector<4xf32>
    }
    loop.store %s, %y[%n * 4] : memref<8xf32>, vector<4xf32>
  }
  return
}

// A reduction that starts late goes on doing so; what its body needs is copied with all that it is computed from.
// CHECK-LABEL: @from_two
// CHECK: loop.for serial "k" %[[K:.*]] = 2 to 8 {
// CHECK-NEXT: loop.for parallel "n" %[[N:.*]] = 0 to 4 {
// CHECK-NEXT: %[[V:.*]] = loop.load %v[%[[N]]]
// CHECK-NEXT: %[[SQUARE:.*]] = arith.mulf %[[V]], %[[V]]
// CHECK: loop.load %x[%[[N]], %[[K]]]
// CHECK-NEXT: math.fma %{{.*}}, %[[SQUARE]]
func.func private @from_two(%x: memref<4x8xf32>, %v: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 4 {
    %zero = arith.constant 0.0 : f32
    %b = loop.load %v[%n] : memref<4xf32>
    %square = arith.mulf %b, %b : f32
    %s = loop.for serial "k" %k = 2 to 8 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%n, %k] : memref<4x8xf32>
      %c = math.fma %a, %square, %acc : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%n] : memref<4xf32>
  }
  return
}

// Something else than loops on the way in would have to be computed again.
// CHECK-LABEL: @between
// CHECK-NOT: memref.alloc
// REMARK: remark: loop 'k' not hoisted: more than loops is between 'n' and 'k'
func.func private @between(%x: memref<4x2x8xf32>, %y: memref<4x2xf32> {mlc.output}, %z: memref<4xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 4 {
    %zero = arith.constant 0.0 : f32
    loop.for parallel "m" %m = 0 to 2 {
      %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %x[%n, %m, %k] : memref<4x2x8xf32>
        %c = arith.addf %acc, %a : f32
        loop.yield %c : f32
      }
      loop.store %s, %y[%n, %m] : memref<4x2xf32>
    }
    loop.store %zero, %z[%n] : memref<4xf32>
  }
  return
}
