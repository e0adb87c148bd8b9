// RUN: mlc-opt %s --apply-schedule --canonicalize --check-each | filecheck %s

// A padded image of one channel, in vectors along its rows. Rows above and below the image add nothing, so they go; the
// columns beside it stay, since a vector that begins in front of the image ends inside of it.
// CHECK-LABEL: @rows
// CHECK: memref.alloc() : memref<2x6xf32>
// CHECK-COUNT-12: math.fma {{.*}} : vector<4xf32>
// CHECK-NOT: math.fma
// CHECK: return
func.func private @rows(%x: memref<2x4xf32>, %w: memref<3x3xf32>, %out: memref<2x4xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[vectorize(x, 4), tile(y, 2), unroll(yi), unroll(kx), unroll(ky), partition(y)]>
} {
  %p = memref.alloc() : memref<4x6xf32>
  %zero = arith.constant 0.0 : f32
  loop.for parallel "d1" %j = 0 to 6 {
    loop.store %zero, %p[0, %j] : memref<4x6xf32>
  }
  loop.for parallel "d1" %j = 0 to 6 {
    loop.store %zero, %p[3, %j] : memref<4x6xf32>
  }
  loop.for parallel "d0" %i = 0 to 2 {
    loop.store %zero, %p[%i + 1, 0] : memref<4x6xf32>
  }
  loop.for parallel "d0" %i = 0 to 2 {
    loop.store %zero, %p[%i + 1, 5] : memref<4x6xf32>
  }
  loop.for parallel "d0" %i = 0 to 2 {
    loop.for parallel "d1" %j = 0 to 4 {
      %a = loop.load %x[%i, %j] : memref<2x4xf32>
      loop.store %a, %p[%i + 1, %j + 1] : memref<4x6xf32>
    }
  }
  loop.for parallel "y" %y = 0 to 2 {
    loop.for parallel "x" %c = 0 to 4 {
      %s = loop.for serial "ky" %ky = 0 to 3 iter_args(%acc = %zero) -> (f32) {
        %t = loop.for serial "kx" %kx = 0 to 3 iter_args(%inner = %acc) -> (f32) {
          %a = loop.load %p[%y + %ky, %c + %kx] : memref<4x6xf32>
          %b = loop.load %w[%ky, %kx] : memref<3x3xf32>
          %n = math.fma %a, %b, %inner : f32
          loop.yield %n : f32
        }
        loop.yield %t : f32
      }
      loop.store %s, %out[%y, %c] : memref<2x4xf32>
    }
  }
  return
}

// Along the lanes themselves nothing is left out: the first lane of the first tap is padding, the others are not.
// CHECK-LABEL: @columns
// CHECK: memref.alloc() : memref<6xf32>
// CHECK-COUNT-3: math.fma {{.*}} : vector<4xf32>
func.func private @columns(%x: memref<4xf32>, %w: memref<3xf32>, %out: memref<4xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[vectorize(x, 4), unroll(k), partition(d0)]>
} {
  %p = memref.alloc() : memref<6xf32>
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %p[0] : memref<6xf32>
  loop.store %zero, %p[5] : memref<6xf32>
  loop.for parallel "d0" %i = 0 to 4 {
    %a = loop.load %x[%i] : memref<4xf32>
    loop.store %a, %p[%i + 1] : memref<6xf32>
  }
  loop.for parallel "x" %c = 0 to 4 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%c + %k] : memref<6xf32>
      %b = loop.load %w[%k] : memref<3xf32>
      %n = math.fma %a, %b, %acc : f32
      loop.yield %n : f32
    }
    loop.store %s, %out[%c] : memref<4xf32>
  }
  return
}
