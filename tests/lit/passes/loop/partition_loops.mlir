// RUN: mlc-opt %s --split-input-file --apply-schedule --partition-loops=loops=y --check-each | filecheck %s
// RUN: mlc-opt %s --split-input-file --partition-loops=loops=y --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// A sum of products with zeros around: three parts, each with the taps that are inside the image.
// CHECK-LABEL: @conv
// CHECK-NOT: memref.alloc
// CHECK: loop.for parallel "y" %{{.*}} = 0 to 1 {
// CHECK: loop.for serial "k" %{{.*}} = 1 to 3
// CHECK: loop.load %x[%y + %k - 1]
// CHECK: loop.for parallel "y" %{{.*}} = 1 to 7 {
// CHECK: loop.for serial "k" %{{.*}} = 0 to 3
// CHECK: loop.for parallel "y" %{{.*}} = 7 to 8 {
// CHECK: loop.for serial "k" %{{.*}} = 0 to 2
func.func private @conv(%x: memref<8xf32>, %w: memref<3xf32>, %out: memref<8xf32> {mlc.output}) {
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

// A stride of 2 with a padding that never wins.
// CHECK-LABEL: @max_pool
// CHECK-NOT: memref.alloc
// CHECK: loop.for parallel "y" %{{.*}} = 0 to 1 {
// CHECK: loop.for serial "k" %{{.*}} = 1 to 3
// CHECK: loop.load %x[%y * 2 + %k - 1]
// CHECK: loop.for parallel "y" %{{.*}} = 1 to 4 {
// CHECK: loop.for serial "k" %{{.*}} = 0 to 3
func.func private @max_pool(%x: memref<8xf32>, %out: memref<4xf32> {mlc.output}) {
  %p = memref.alloc() : memref<9xf32>
  %least = arith.constant 0xFF800000 : f32
  loop.for parallel "d0" %i = 0 to 1 {
    loop.store %least, %p[%i] : memref<9xf32>
  }
  loop.for parallel "d0" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<9xf32>
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

// Zeros count in a maximum.
// CHECK-LABEL: @zeros_win
// CHECK: memref.alloc
// CHECK: loop.for parallel "y" %{{.*}} = 0 to 2 {
// REMARK: remark: still padded: its windows do not move along y alone, or the padding counts
func.func private @zeros_win(%x: memref<2xf32>, %out: memref<2xf32> {mlc.output}) {
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

// A copy of a part is no padded image.
// CHECK-LABEL: @part
// CHECK: memref.alloc
// CHECK: loop.for parallel "y" %{{.*}} = 0 to 2 {
func.func private @part(%x: memref<8xf32>, %out: memref<2xf32> {mlc.output}) {
  %p = memref.alloc() : memref<3xf32>
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %p[0] : memref<3xf32>
  loop.for parallel "d0" %i = 0 to 2 {
    %a = loop.load %x[%i] : memref<8xf32>
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

// -----

// Only the axis of 'y' loses its padding: rows above and below are gone, the columns beside the image stay.
// CHECK-LABEL: @rows_only
// CHECK: %[[P:.*]] = memref.alloc() : memref<2x4xf32>
// CHECK-NOT: loop.for parallel "top"
// CHECK: loop.for parallel "left"
// CHECK: loop.store %{{.*}}, %[[P]][%{{.*}}, 0] : memref<2x4xf32>
// CHECK: loop.for parallel "right"
// CHECK: loop.store %{{.*}}, %[[P]][%{{.*}}, 3] : memref<2x4xf32>
// CHECK: loop.store %{{.*}}, %[[P]][%{{.*}}, %{{.*}} + 1] : memref<2x4xf32>
// CHECK: loop.for parallel "y" %{{.*}} = 0 to 1 {
// CHECK: loop.for serial "ky" %{{.*}} = 1 to 2
// CHECK: loop.load %[[P]][%{{.*}} + %{{.*}} - 1, %{{.*}} + %{{.*}}] : memref<2x4xf32>
// CHECK: loop.for parallel "y" %{{.*}} = 1 to 2 {
// CHECK: loop.for serial "ky" %{{.*}} = 0 to 2
func.func private @rows_only(%x: memref<2x2xf32>, %out: memref<2x3xf32> {mlc.output}) {
  %p = memref.alloc() : memref<3x4xf32>
  %zero = arith.constant 0.0 : f32
  loop.for parallel "top" %j = 0 to 4 {
    loop.store %zero, %p[0, %j] : memref<3x4xf32>
  }
  loop.for parallel "left" %i = 0 to 2 {
    loop.store %zero, %p[%i + 1, 0] : memref<3x4xf32>
  }
  loop.for parallel "right" %i = 0 to 2 {
    loop.store %zero, %p[%i + 1, 3] : memref<3x4xf32>
  }
  loop.for parallel "d0" %i = 0 to 2 {
    loop.for parallel "d1" %j = 0 to 2 {
      %a = loop.load %x[%i, %j] : memref<2x2xf32>
      loop.store %a, %p[%i + 1, %j + 1] : memref<3x4xf32>
    }
  }
  loop.for parallel "y" %y = 0 to 2 {
    loop.for parallel "x" %c = 0 to 3 {
      %s = loop.for serial "ky" %ky = 0 to 2 iter_args(%u = %zero) -> (f32) {
        %t = loop.for serial "kx" %kx = 0 to 2 iter_args(%v = %u) -> (f32) {
          %a = loop.load %p[%y + %ky, %c + %kx] : memref<3x4xf32>
          %w = arith.addf %v, %a : f32
          loop.yield %w : f32
        }
        loop.yield %t : f32
      }
      loop.store %s, %out[%y, %c] : memref<2x3xf32>
    }
  }
  return
}

// -----

// A schedule may name the window as well: it is no loop over positions.
// CHECK-LABEL: @both_named
// CHECK: loop.for serial "k" %{{.*}} = 1 to 3
// CHECK: loop.for parallel "y" %{{.*}} = 1 to 7 {
// CHECK: loop.for serial "k" %{{.*}} = 0 to 2
func.func private @both_named(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[partition(k, y)]>} {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<10xf32>
  loop.store %zero, %p[0] : memref<10xf32>
  loop.store %zero, %p[9] : memref<10xf32>
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
  }
  loop.for parallel "y" %yy = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%yy + %k] : memref<10xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%yy] : memref<8xf32>
  }
  return
}

// -----

// Taps that are two apart: of the first position's, the second is the first one inside.
// CHECK-LABEL: @dilated
// CHECK-NOT: memref.alloc
// CHECK: loop.for parallel "y" %{{.*}} = 0 to 1 {
// CHECK: loop.for serial "k" %{{.*}} = 1 to 3
// CHECK: loop.load %x[%{{.*}} + %{{.*}} * 2 - 1]
// CHECK: loop.for parallel "y" %{{.*}} = 1 to 5 {
// CHECK: loop.for serial "k" %{{.*}} = 0 to 3
// CHECK: loop.for parallel "y" %{{.*}} = 5 to 6 {
// CHECK: loop.for serial "k" %{{.*}} = 0 to 2
func.func private @dilated(%x: memref<8xf32>, %out: memref<6xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<10xf32>
  loop.store %zero, %p[0] : memref<10xf32>
  loop.store %zero, %p[9] : memref<10xf32>
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
  }
  loop.for parallel "y" %y = 0 to 6 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%y + %k * 2] : memref<10xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %out[%y] : memref<6xf32>
  }
  return
}
