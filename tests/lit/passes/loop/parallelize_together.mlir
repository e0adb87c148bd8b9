// RUN: mlc-opt %s --target=znver5 --parallelize="threads=8 least-ns=2" | filecheck %s
// RUN: mlc-opt %s --target=znver5 --parallelize="threads=8 least-ns=2" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK
// RUN: mlc-opt %s --target=znver5 --parallelize="threads=2 least-ns=2" | filecheck %s --check-prefix=TWO

// 3 rows keep 8 threads busy for 3/8 of the time, 3 x 40 tiles all the time; two threads for 3/4 of it.
// CHECK-LABEL: @two_loops
// CHECK-NEXT: loop.for threads "m" %{{.*}} = 0 to 3 {
// CHECK-NEXT: loop.for threads "n" %{{.*}} = 0 to 40 {
// CHECK-NEXT: loop.for parallel "k"
// TWO-LABEL: @two_loops
// TWO-NEXT: loop.for threads "m" %{{.*}} = 0 to 3 {
// TWO-NEXT: loop.for threads "n" %{{.*}} = 0 to 40 step 20 {
// TWO-NEXT: loop.for parallel "ni"
func.func private @two_loops(%x: memref<3x40x64xf32>, %y: memref<3x40x64xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 40 {
      loop.for parallel "k" %k = 0 to 64 {
        %a = loop.load %x[%m, %n, %k] : memref<3x40x64xf32>
        loop.store %a, %y[%m, %n, %k] : memref<3x40x64xf32>
      }
    }
  }
  return
}

// No more loops than are needed.
// CHECK-LABEL: @one_loop
// CHECK-NEXT: loop.for threads "m" %{{.*}} = 0 to 16 {
// CHECK-NEXT: loop.for parallel "n"
func.func private @one_loop(%x: memref<16x40xf32>, %y: memref<16x40xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 16 {
    loop.for parallel "n" %n = 0 to 40 {
      %a = loop.load %x[%m, %n] : memref<16x40xf32>
      loop.store %a, %y[%m, %n] : memref<16x40xf32>
    }
  }
  return
}

// The tiles of a product, and the rows that are left: whole tiles become a perfect nest. A constant stays in front.
// CHECK-LABEL: @tiles
// CHECK-NEXT: %zero = arith.constant
// CHECK-NEXT: loop.for threads "n" %{{.*}} = 0 to 9 {
// CHECK-NEXT: loop.for threads "m" %{{.*}} = 0 to 24 {
// CHECK: loop.for threads "n" %[[N:.*]] = 0 to 9 {
// CHECK-NEXT: loop.for serial "k" %{{.*}} = 0 to 32 iter_args(%{{.*}} = %zero)
// CHECK: loop.store %{{.*}}, %y[24, %[[N]]]
// REMARK: remark: loop 'n' is taken apart: 9 iterations of 'n' keep 8 threads busy for 56% of the time
func.func private @tiles(%x: memref<25x32xf32>, %w: memref<32x9xf32>, %y: memref<25x9xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 9 {
    %zero = arith.constant 0.0 : f32
    loop.for parallel "m" %m = 0 to 24 {
      %s = loop.for serial "k" %k = 0 to 32 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %x[%m, %k] : memref<25x32xf32>
        %b = loop.load %w[%k, %n] : memref<32x9xf32>
        %c = math.fma %a, %b, %acc : f32
        loop.yield %c : f32
      }
      loop.store %s, %y[%m, %n] : memref<25x9xf32>
    }
    %s = loop.for serial "k" %k = 0 to 32 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[24, %k] : memref<25x32xf32>
      %b = loop.load %w[%k, %n] : memref<32x9xf32>
      %c = math.fma %a, %b, %acc : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[24, %n] : memref<25x9xf32>
  }
  return
}

// One pass reads what the pass before it wrote, while that is in a cache: the row stays in one piece. Each pass is spread.
// CHECK-LABEL: @passes
// CHECK-NEXT: loop.for parallel "m"
// CHECK-NEXT: loop.for threads "n"
// CHECK: loop.for threads "n"
// REMARK: remark: loops in 'm' are spread: 2 iterations of 'm' keep 8 threads busy for 25% of the time
func.func private @passes(%x: memref<2x40xf32>, %y: memref<2x40xf32> {mlc.output}, %z: memref<2x40xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 2 {
    loop.for parallel "n" %n = 0 to 40 {
      %a = loop.load %x[%m, %n] : memref<2x40xf32>
      %b = math.exp %a : f32
      loop.store %b, %y[%m, %n] : memref<2x40xf32>
    }
    loop.for parallel "n" %n = 0 to 40 {
      %a = loop.load %y[%m, 39 - %n] : memref<2x40xf32>
      %b = math.exp %a : f32
      loop.store %b, %z[%m, %n] : memref<2x40xf32>
    }
  }
  return
}

// So are loops in a serial one, if each time is worth it, and those around a buffer that each iteration has anew.
// CHECK-LABEL: @steps
// CHECK: loop.for serial "t"
// CHECK-NEXT: loop.for threads "n"
// CHECK: loop.for serial "u"
// CHECK-NEXT: loop.for parallel "n"
// CHECK: loop.for parallel "h" %{{.*}} = 0 to 2 {
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: loop.for threads "n"
// CHECK: loop.for threads "n"
// REMARK: remark: loop 'u' stays on one thread: it is serial
// REMARK: remark: loops in 'h' are spread: 2 iterations of 'h' keep 8 threads busy for 25% of the time
func.func private @steps(%x: memref<2x40xf32>, %y: memref<11x800xf32> {mlc.output}, %z: memref<2x40xf32> {mlc.output}) {
  loop.for serial "t" %t = 0 to 10 {
    loop.for parallel "n" %n = 0 to 800 {
      %a = loop.load %y[%t, %n] : memref<11x800xf32>
      %b = math.exp %a : f32
      loop.store %b, %y[%t + 1, %n] : memref<11x800xf32>
    }
  }
  loop.for serial "u" %u = 0 to 10 {
    loop.for parallel "n" %n = 0 to 8 {
      %a = loop.load %y[%u, %n] : memref<11x800xf32>
      %b = math.exp %a : f32
      loop.store %b, %y[%u + 1, %n] : memref<11x800xf32>
    }
  }
  loop.for parallel "h" %h = 0 to 2 {
    %t = memref.alloc() : memref<40xf32>
    loop.for parallel "n" %n = 0 to 40 {
      %a = loop.load %x[%h, %n] : memref<2x40xf32>
      %b = math.exp %a : f32
      loop.store %b, %t[%n] : memref<40xf32>
    }
    loop.for parallel "n" %n = 0 to 40 {
      %a = loop.load %t[39 - %n] : memref<40xf32>
      %b = math.exp %a : f32
      loop.store %b, %z[%h, %n] : memref<2x40xf32>
    }
  }
  return
}

// What a value is computed for stays beside it.
// CHECK-LABEL: @value
// CHECK-NEXT: loop.for threads "m" %{{.*}} = 0 to 7 {
// CHECK-NEXT: loop.load
// REMARK-NOT: 'm' is taken apart
func.func private @value(%x: memref<7x40xf32>, %y: memref<7x40xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 7 {
    %f = loop.load %x[%m, 0] : memref<7x40xf32>
    loop.for parallel "n" %n = 0 to 40 {
      %a = loop.load %x[%m, %n] : memref<7x40xf32>
      %b = arith.mulf %a, %f : f32
      loop.store %b, %y[%m, %n] : memref<7x40xf32>
    }
  }
  return
}

// Loops in one that carries values are not spread: these may be a tile of registers, which no task can be given.
// CHECK-LABEL: @carries_values
// CHECK: loop.for serial "t"
// CHECK-NEXT: loop.for parallel "i"
// REMARK: remark: loop 't' stays on one thread: it is serial
func.func private @carries_values(%x: memref<16x4096xf32>, %y: memref<16x4096xf32> {mlc.output}, %s: memref<1xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  %last = loop.for serial "t" %t = 0 to 16 iter_args(%c = %one) -> (f32) {
    loop.for parallel "i" %i = 0 to 4096 {
      %a = loop.load %x[%t, %i] : memref<16x4096xf32>
      %b = arith.mulf %a, %c : f32
      loop.store %b, %y[%t, %i] : memref<16x4096xf32>
    }
    %d = arith.addf %c, %one : f32
    loop.yield %d : f32
  }
  loop.store %last, %s[0] : memref<1xf32>
  return
}
