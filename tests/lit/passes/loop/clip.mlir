// RUN: mlc-opt %s --split-input-file --apply-schedule --check-each | filecheck %s
// RUN: mlc-opt %s --split-input-file --apply-schedule 2>&1 >%t | filecheck %s --check-prefix=WARNING

// A sum of products with zeros around: one nest, whose window begins and ends where the image does.
// CHECK-LABEL: @conv
// CHECK-NOT: memref.alloc
// CHECK: loop.for parallel "y" %y = 0 to 8 {
// CHECK: %[[END:.*]] = arith.subi %{{.*}}, %y : index
// CHECK: %[[START:.*]] = arith.subi %{{.*}}, %y : index
// CHECK: loop.for serial "k" %k = 0 to 3 from %[[START]] limit %[[END]]
// CHECK: loop.load %x[%y + %k - 1]
// CHECK-NOT: loop.for
func.func private @conv(%x: memref<8xf32>, %w: memref<3xf32>, %out: memref<8xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[clip(y)]>} {
  %p = memref.alloc() : memref<10xf32>
  %zero = arith.constant 0.0 : f32
  loop.for parallel "d0" %i = 0 to 1 {
    loop.store %zero, %p[%i] : memref<10xf32>
  }
  loop.for parallel "d0" %i = 0 to 1 {
    loop.store %zero, %p[%i + 9] : memref<10xf32>
  }
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

// -----

// A stride of 2 with a padding that never wins, behind the image: a limit alone.
// CHECK-LABEL: @max_pool
// CHECK-NOT: memref.alloc
// CHECK: arith.muli %y
// CHECK: loop.for serial "k" %k = 0 to 3 limit %{{[^ ]*}} iter_args
// CHECK: loop.load %x[%y * 2 + %k]
func.func private @max_pool(%x: memref<8xf32>, %out: memref<4xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[clip(y)]>} {
  %p = memref.alloc() : memref<9xf32>
  %least = arith.constant 0xFF800000 : f32
  loop.for parallel "d0" %i = 0 to 1 {
    loop.store %least, %p[%i + 8] : memref<9xf32>
  }
  loop.for parallel "d0" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %p[%i] : memref<9xf32>
  }
  loop.for parallel "y" %y = 0 to 4 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %least) -> (f32) {
      %a = loop.load %p[%y * 2 + %k] : memref<9xf32>
      %c = arith.maximumf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %out[%y] : memref<4xf32>
  }
  return
}

// -----

// Windows of one place need no limit.
// CHECK-LABEL: @one_place
// CHECK-NOT: memref.alloc
// CHECK: loop.for serial "k" %k = 1 to 3 iter_args
func.func private @one_place(%x: memref<2xf32>, %out: memref<1xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[clip(y)]>} {
  %p = memref.alloc() : memref<3xf32>
  %zero = arith.constant 0.0 : f32
  loop.for parallel "d0" %i = 0 to 1 {
    loop.store %zero, %p[%i] : memref<3xf32>
  }
  loop.for parallel "d0" %i = 0 to 2 {
    %a = loop.load %x[%i] : memref<2xf32>
    loop.store %a, %p[%i + 1] : memref<3xf32>
  }
  loop.for parallel "y" %y = 0 to 1 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%y + %k] : memref<3xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %out[%y] : memref<1xf32>
  }
  return
}

// -----

// Zeros count in a maximum.
// WARNING: warning: schedule step 'clip(y)': still padded: no loop over a window moves along y alone, or the padding counts
// CHECK-LABEL: @zeros_win
// CHECK: memref.alloc
// CHECK-NOT: limit
func.func private @zeros_win(%x: memref<2xf32>, %out: memref<2xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[clip(y)]>} {
  %p = memref.alloc() : memref<3xf32>
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %p[0] : memref<3xf32>
  loop.for parallel "d0" %i = 0 to 2 {
    %a = loop.load %x[%i] : memref<2xf32>
    loop.store %a, %p[%i + 1] : memref<3xf32>
  }
  loop.for parallel "y" %y = 0 to 2 {
    %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%y + %k] : memref<3xf32>
      %c = arith.maximumf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %out[%y] : memref<2xf32>
  }
  return
}

// -----

// The bounds of a window with gaps are no sums, a window that may miss the image has no first tap, and where another
// number is added in each step all steps count.
// CHECK-LABEL: @dilated
// CHECK: memref.alloc
// CHECK-NOT: limit
func.func private @dilated(%x: memref<4xf32>, %out: memref<4xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[clip(y)]>} {
  %p = memref.alloc() : memref<8xf32>
  %zero = arith.constant 0.0 : f32
  loop.for parallel "d0" %i = 0 to 2 {
    loop.store %zero, %p[%i] : memref<8xf32>
  }
  loop.for parallel "d0" %i = 0 to 2 {
    loop.store %zero, %p[%i + 6] : memref<8xf32>
  }
  loop.for parallel "d0" %i = 0 to 4 {
    %a = loop.load %x[%i] : memref<4xf32>
    loop.store %a, %p[%i + 2] : memref<8xf32>
  }
  loop.for parallel "y" %y = 0 to 4 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%y + %k * 2] : memref<8xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %out[%y] : memref<4xf32>
  }
  return
}

// -----

// CHECK-LABEL: @misses
// CHECK: memref.alloc
// CHECK-NOT: limit
func.func private @misses(%x: memref<2xf32>, %out: memref<4xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[clip(y)]>} {
  %p = memref.alloc() : memref<5xf32>
  %zero = arith.constant 0.0 : f32
  loop.for parallel "d0" %i = 0 to 3 {
    loop.store %zero, %p[%i] : memref<5xf32>
  }
  loop.for parallel "d0" %i = 0 to 2 {
    %a = loop.load %x[%i] : memref<2xf32>
    loop.store %a, %p[%i + 3] : memref<5xf32>
  }
  loop.for parallel "y" %y = 0 to 4 {
    %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%y + %k] : memref<5xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %out[%y] : memref<4xf32>
  }
  return
}

// -----

// CHECK-LABEL: @counts
// CHECK: memref.alloc
// CHECK-NOT: limit
func.func private @counts(%x: memref<2xf32>, %w: memref<2xf32>, %out: memref<2xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[clip(y)]>} {
  %p = memref.alloc() : memref<3xf32>
  %zero = arith.constant 0.0 : f32
  loop.for parallel "d0" %i = 0 to 1 {
    loop.store %zero, %p[%i] : memref<3xf32>
  }
  loop.for parallel "d0" %i = 0 to 2 {
    %a = loop.load %x[%i] : memref<2xf32>
    loop.store %a, %p[%i + 1] : memref<3xf32>
  }
  loop.for parallel "y" %y = 0 to 2 {
    %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%y + %k] : memref<3xf32>
      %b = loop.load %w[%k] : memref<2xf32>
      %c = arith.addf %acc, %a : f32
      %d = arith.addf %c, %b : f32
      loop.yield %d : f32
    }
    loop.store %s, %out[%y] : memref<2xf32>
  }
  return
}

// -----

// Steps after it: copies of `x` share the bounds, which are computed for each `y`; those of `y` have no bounds in common.
// WARNING: warning: schedule step 'unroll(y)': loop 'y' not unrolled: loop 'k' begins or ends elsewhere in each of its iterations
// CHECK-LABEL: @shared
// CHECK-NOT: memref.alloc
// CHECK: loop.for parallel "y"
// CHECK-COUNT-1: loop.for serial "k" %k = 0 to 3 from %{{.*}} limit %{{.*}} iter_args(%{{.*}}, %{{.*}}) -> (vector<4xf32>, vector<4xf32>)
func.func private @shared(%x: memref<6x2x4xf32>, %w: memref<3x4xf32>, %out: memref<6x2x4xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[clip(y), vectorize(n, 4), unroll(x), unroll(y)]>} {
  %p = memref.alloc() : memref<8x2x4xf32>
  %zero = arith.constant 0.0 : f32
  loop.for parallel "d1" %j = 0 to 2 {
    loop.for parallel "d2" %k = 0 to 4 {
      loop.store %zero, %p[0, %j, %k] : memref<8x2x4xf32>
    }
  }
  loop.for parallel "d1" %j = 0 to 2 {
    loop.for parallel "d2" %k = 0 to 4 {
      loop.store %zero, %p[7, %j, %k] : memref<8x2x4xf32>
    }
  }
  loop.for parallel "d0" %i = 0 to 6 {
    loop.for parallel "d1" %j = 0 to 2 {
      loop.for parallel "d2" %k = 0 to 4 {
        %a = loop.load %x[%i, %j, %k] : memref<6x2x4xf32>
        loop.store %a, %p[%i + 1, %j, %k] : memref<8x2x4xf32>
      }
    }
  }
  loop.for parallel "y" %y = 0 to 6 {
    loop.for parallel "x" %i = 0 to 2 {
      loop.for parallel "n" %n = 0 to 4 {
        %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
          %a = loop.load %p[%y + %k, %i, %n] : memref<8x2x4xf32>
          %b = loop.load %w[%k, %n] : memref<3x4xf32>
          %c = math.fma %a, %b, %acc : f32
          loop.yield %c : f32
        }
        loop.store %s, %out[%y, %i, %n] : memref<6x2x4xf32>
      }
    }
  }
  return
}

// -----

// Zeros in front do not count, ones at the end do.
// CHECK-LABEL: @mixed
// CHECK: memref.alloc
// CHECK-NOT: limit
func.func private @mixed(%x: memref<2xf32>, %out: memref<2xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[clip(y)]>} {
  %p = memref.alloc() : memref<4xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  loop.for parallel "d0" %i = 0 to 1 {
    loop.store %zero, %p[%i] : memref<4xf32>
  }
  loop.for parallel "d0" %i = 0 to 1 {
    loop.store %one, %p[%i + 3] : memref<4xf32>
  }
  loop.for parallel "d0" %i = 0 to 2 {
    %a = loop.load %x[%i] : memref<2xf32>
    loop.store %a, %p[%i + 1] : memref<4xf32>
  }
  loop.for parallel "y" %y = 0 to 2 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%y + %k] : memref<4xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %out[%y] : memref<2xf32>
  }
  return
}

// -----

// Lanes of `y` have no bounds in common.
// WARNING: warning: schedule step 'vectorize(y)': loop 'y' not vectorized: loop 'k' begins or ends elsewhere in each of its iterations
// CHECK-LABEL: @lanes
// CHECK-NOT: memref.alloc
// CHECK-NOT: vector<
func.func private @lanes(%x: memref<2xf32>, %out: memref<2xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[clip(y), vectorize(y)]>} {
  %p = memref.alloc() : memref<3xf32>
  %zero = arith.constant 0.0 : f32
  loop.for parallel "d0" %i = 0 to 1 {
    loop.store %zero, %p[%i] : memref<3xf32>
  }
  loop.for parallel "d0" %i = 0 to 2 {
    %a = loop.load %x[%i] : memref<2xf32>
    loop.store %a, %p[%i + 1] : memref<3xf32>
  }
  loop.for parallel "y" %y = 0 to 2 {
    %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%y + %k] : memref<3xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %out[%y] : memref<2xf32>
  }
  return
}
