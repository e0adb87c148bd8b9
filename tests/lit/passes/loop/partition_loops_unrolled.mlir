// RUN: mlc-opt %s --apply-schedule --canonicalize --check-each | filecheck %s

// All three results in registers: in the copy for the first tap, the first result adds nothing; in that for the last, the
// last one. Nothing is left that reads the padding, so there is no copy of the image.
// CHECK-LABEL: @row
// CHECK-NOT: memref.alloc
// CHECK: loop.for serial "c"
// CHECK-NEXT: loop.load %x[0, %{{.*}}]
// CHECK-NEXT: loop.load %x[1, %{{.*}}]
// CHECK-NOT: loop.load %x
// CHECK: loop.yield
// CHECK: loop.for serial "c"
// CHECK-NEXT: loop.load %x[0, %{{.*}}]
// CHECK-NEXT: loop.load %x[1, %{{.*}}]
// CHECK-NEXT: loop.load %x[2, %{{.*}}]
// CHECK: loop.yield
// CHECK: loop.for serial "c"
// CHECK-NEXT: loop.load %x[1, %{{.*}}]
// CHECK-NEXT: loop.load %x[2, %{{.*}}]
// CHECK-NOT: loop.load %x
// CHECK: loop.yield
func.func private @row(%x: memref<3x8xf32>, %w: memref<3x8xf32>, %out: memref<3xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[tile(y, 3), unroll(yi), unroll(k), partition(y)]>
} {
  %p = memref.alloc() : memref<5x8xf32>
  %zero = arith.constant 0.0 : f32
  loop.for parallel "d0" %i = 0 to 8 {
    loop.store %zero, %p[0, %i] : memref<5x8xf32>
  }
  loop.for parallel "d0" %i = 0 to 8 {
    loop.store %zero, %p[4, %i] : memref<5x8xf32>
  }
  loop.for parallel "d0" %i = 0 to 3 {
    loop.for parallel "d1" %j = 0 to 8 {
      %a = loop.load %x[%i, %j] : memref<3x8xf32>
      loop.store %a, %p[%i + 1, %j] : memref<5x8xf32>
    }
  }
  loop.for parallel "y" %y = 0 to 3 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %t = loop.for serial "c" %c = 0 to 8 iter_args(%inner = %acc) -> (f32) {
        %a = loop.load %p[%y + %k, %c] : memref<5x8xf32>
        %b = loop.load %w[%k, %c] : memref<3x8xf32>
        %m = arith.mulf %a, %b : f32
        %n = arith.addf %inner, %m : f32
        loop.yield %n : f32
      }
      loop.yield %t : f32
    }
    loop.store %s, %out[%y] : memref<3xf32>
  }
  return
}

// The same in vectors, where the numbers of the image become vectors first.
// CHECK-LABEL: @vectors
// CHECK-NOT: memref.alloc
// CHECK-COUNT-4: math.fma {{.*}} : vector<8xf32>
// CHECK-NOT: math.fma
func.func private @vectors(%x: memref<2xf32>, %w: memref<3x8xf32>, %out: memref<2x8xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[tile(y, 2), unroll(yi), vectorize(n, 8), unroll(k), partition(y)]>
} {
  %p = memref.alloc() : memref<4xf32>
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %p[0] : memref<4xf32>
  loop.store %zero, %p[3] : memref<4xf32>
  loop.for parallel "d0" %i = 0 to 2 {
    %a = loop.load %x[%i] : memref<2xf32>
    loop.store %a, %p[%i + 1] : memref<4xf32>
  }
  loop.for parallel "y" %y = 0 to 2 {
    loop.for parallel "n" %n = 0 to 8 {
      %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %p[%y + %k] : memref<4xf32>
        %b = loop.load %w[%k, %n] : memref<3x8xf32>
        %c = math.fma %a, %b, %acc : f32
        loop.yield %c : f32
      }
      loop.store %s, %out[%y, %n] : memref<2x8xf32>
    }
  }
  return
}

// Products without multiply-adds, of integers: both they and what they are made of go.
// CHECK-LABEL: @integers
// CHECK-NOT: memref.alloc
// CHECK-COUNT-4: arith.muli {{.*}} : vector<4xi32>
// CHECK-NOT: arith.muli
func.func private @integers(%x: memref<2xi32>, %w: memref<3x4xi32>, %out: memref<2x4xi32> {mlc.output}) attributes {
  schedule = #loop.schedule<[tile(y, 2), unroll(yi), vectorize(n, 4), unroll(k), partition(y)]>
} {
  %p = memref.alloc() : memref<4xi32>
  %zero = arith.constant 0 : i32
  loop.store %zero, %p[0] : memref<4xi32>
  loop.store %zero, %p[3] : memref<4xi32>
  loop.for parallel "d0" %i = 0 to 2 {
    %a = loop.load %x[%i] : memref<2xi32>
    loop.store %a, %p[%i + 1] : memref<4xi32>
  }
  loop.for parallel "y" %y = 0 to 2 {
    loop.for parallel "n" %n = 0 to 4 {
      %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %p[%y + %k] : memref<4xi32>
        %b = loop.load %w[%k, %n] : memref<3x4xi32>
        %m = arith.muli %a, %b : i32
        %c = arith.addi %acc, %m : i32
        loop.yield %c : i32
      }
      loop.store %s, %out[%y, %n] : memref<2x4xi32>
    }
  }
  return
}

// A padding that counts is read.
// CHECK-LABEL: @ones
// CHECK: memref.alloc
func.func private @ones(%x: memref<2xf32>, %out: memref<2xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[tile(y, 2), unroll(yi), unroll(k), partition(y)]>
} {
  %p = memref.alloc() : memref<4xf32>
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  loop.store %one, %p[0] : memref<4xf32>
  loop.store %one, %p[3] : memref<4xf32>
  loop.for parallel "d0" %i = 0 to 2 {
    %a = loop.load %x[%i] : memref<2xf32>
    loop.store %a, %p[%i + 1] : memref<4xf32>
  }
  loop.for parallel "y" %y = 0 to 2 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%y + %k] : memref<4xf32>
      %c = arith.addf %a, %acc : f32
      loop.yield %c : f32
    }
    loop.store %s, %out[%y] : memref<2xf32>
  }
  return
}

// Blocks of two results: the first and the last one leave a tap out, the ones between them none.
// CHECK-LABEL: @blocks
// CHECK-NOT: memref.alloc
// CHECK-COUNT-5: loop.load %x
// CHECK-NOT: loop.load %x
// CHECK: loop.for parallel "y" %{{.*}} = 2 to 6 step 2
// CHECK-COUNT-6: loop.load %x
// CHECK-NOT: loop.load %x
// CHECK: }
// CHECK-COUNT-5: loop.load %x
// CHECK-NOT: loop.load %x
func.func private @blocks(%x: memref<8xf32>, %w: memref<3xf32>, %out: memref<8xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[tile(y, 2), unroll(yi), unroll(k), partition(y)]>
} {
  %p = memref.alloc() : memref<10xf32>
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %p[0] : memref<10xf32>
  loop.store %zero, %p[9] : memref<10xf32>
  loop.for parallel "d0" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
  }
  loop.for parallel "y" %y = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%y + %k] : memref<10xf32>
      %b = loop.load %w[%k] : memref<3xf32>
      %c = math.fma %a, %b, %acc : f32
      loop.yield %c : f32
    }
    loop.store %s, %out[%y] : memref<8xf32>
  }
  return
}

// Two dims of blocks: along each, 16 of 18 taps are inside.
// CHECK-LABEL: @both
// CHECK-NOT: memref.alloc
// CHECK-COUNT-256: loop.load %x
// CHECK-NOT: loop.load %x
func.func private @both(%x: memref<6x6xf32>, %w: memref<3x3xf32>, %out: memref<6x6xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[tile(y, 2), unroll(yi), tile(x, 2), unroll(xi), unroll(ky), unroll(kx), partition(y, x)]>
} {
  %p = memref.alloc() : memref<8x8xf32>
  %zero = arith.constant 0.0 : f32
  loop.for parallel "d1" %j = 0 to 8 {
    loop.store %zero, %p[0, %j] : memref<8x8xf32>
  }
  loop.for parallel "d1" %j = 0 to 8 {
    loop.store %zero, %p[7, %j] : memref<8x8xf32>
  }
  loop.for parallel "d0" %i = 0 to 6 {
    loop.store %zero, %p[%i + 1, 0] : memref<8x8xf32>
  }
  loop.for parallel "d0" %i = 0 to 6 {
    loop.store %zero, %p[%i + 1, 7] : memref<8x8xf32>
  }
  loop.for parallel "d0" %i = 0 to 6 {
    loop.for parallel "d1" %j = 0 to 6 {
      %a = loop.load %x[%i, %j] : memref<6x6xf32>
      loop.store %a, %p[%i + 1, %j + 1] : memref<8x8xf32>
    }
  }
  loop.for parallel "y" %y = 0 to 6 {
    loop.for parallel "x" %i = 0 to 6 {
      %s = loop.for serial "ky" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
        %t = loop.for serial "kx" %l = 0 to 3 iter_args(%inner = %acc) -> (f32) {
          %a = loop.load %p[%y + %k, %i + %l] : memref<8x8xf32>
          %b = loop.load %w[%k, %l] : memref<3x3xf32>
          %c = math.fma %a, %b, %inner : f32
          loop.yield %c : f32
        }
        loop.yield %t : f32
      }
      loop.store %s, %out[%y, %i] : memref<6x6xf32>
    }
  }
  return
}

// Blocks of one result: the first tap of the first one is padding, that of the second one is not.
// CHECK-LABEL: @singles
// CHECK-NOT: memref.alloc
// CHECK-COUNT-2: loop.load %x
// CHECK-NOT: loop.load %x
// CHECK: loop.for parallel "y" %{{.*}} = 1 to 5
// CHECK-COUNT-3: loop.load %x
// CHECK-NOT: loop.load %x
// CHECK: }
// CHECK-COUNT-2: loop.load %x
// CHECK-NOT: loop.load %x
func.func private @singles(%x: memref<6xf32>, %out: memref<6xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[unroll(k), partition(y)]>
} {
  %p = memref.alloc() : memref<8xf32>
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %p[0] : memref<8xf32>
  loop.store %zero, %p[7] : memref<8xf32>
  loop.for parallel "d0" %i = 0 to 6 {
    %a = loop.load %x[%i] : memref<6xf32>
    loop.store %a, %p[%i + 1] : memref<8xf32>
  }
  loop.for parallel "y" %y = 0 to 6 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%y + %k] : memref<8xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %out[%y] : memref<6xf32>
  }
  return
}
