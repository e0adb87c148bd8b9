// RUN: mlc-opt %s --target x86-64-v3 --convert-scf-to-loop --outline-loops | filecheck %s
// RUN: mlc-opt %s --target x86-64-v3 --convert-scf-to-loop --outline-loops --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// The product is summed in memory, from zeros that the same nest stores: the sum is carried, and nothing is read.
// CHECK: func.func private @contract(%a: memref<4x16xf32>, %b: memref<16x16xf32>, %c: memref<4x16xf32>) attributes {schedule = #loop.schedule<[{{.*}}tile(
// CHECK: loop.for parallel "i" %i = 0 to 4 {
// CHECK-NEXT: loop.for parallel "j" %j = 0 to 16 {
// CHECK: loop.for serial "k" %k = 0 to 16 iter_args(%acc = %{{.*}}) -> (f32) {
// CHECK: math.fma
// CHECK: loop.store %{{.*}}, %c[%i, %j]
// CHECK: func.func @product
// CHECK-NOT: loop.for
// CHECK: func.call @contract(%a, %b, %c)
// REMARK: remark: the loop 'i' becomes the kernel 'contract'
func.func @product(%a: memref<4x16xf32>, %b: memref<16x16xf32>, %c: memref<4x16xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 16 {
      affine.store %zero, %c[%i, %j] : memref<4x16xf32>
      affine.for %k = 0 to 16 {
        %x = affine.load %a[%i, %k] : memref<4x16xf32>
        %y = affine.load %b[%k, %j] : memref<16x16xf32>
        %s = affine.load %c[%i, %j] : memref<4x16xf32>
        %p = arith.mulf %x, %y : f32
        %t = arith.addf %s, %p : f32
        affine.store %t, %c[%i, %j] : memref<4x16xf32>
      }
    }
  }
  return
}

// The loop that reduces stands in the middle: it goes inside. What was there before is added in the end.
// CHECK: func.func private @contract_map(
// CHECK: loop.for parallel "i"
// CHECK-NEXT: loop.for parallel "j"
// CHECK: loop.for serial "k"
// CHECK: loop.load %c[%i, %j]
// CHECK: arith.addf
// CHECK: loop.store %{{.*}}, %c[%i, %j]
func.func @added(%a: memref<4x16xf32>, %b: memref<16x16xf32>, %d: memref<4x16xf32>, %c: memref<4x16xf32> {mlc.output}) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 16 {
      %s = affine.load %d[%i, %j] : memref<4x16xf32>
      affine.store %s, %c[%i, %j] : memref<4x16xf32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %k = 0 to 16 {
      affine.for %j = 0 to 16 {
        %x = affine.load %a[%i, %k] : memref<4x16xf32>
        %y = affine.load %b[%k, %j] : memref<16x16xf32>
        %s = affine.load %c[%i, %j] : memref<4x16xf32>
        %p = arith.mulf %x, %y : f32
        %t = arith.addf %s, %p : f32
        affine.store %t, %c[%i, %j] : memref<4x16xf32>
      }
    }
  }
  return
}

// Loops count from 0. A sum of a row is computed once for the row, in a nest of its own.
// CHECK: func.func private @reduce_map(%x: memref<6x66xf32>, %y: memref<8x66xf32>) attributes {schedule
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK: loop.for parallel "i" %{{.*}} = 0 to 4 {
// CHECK: loop.for serial "k" %{{.*}} = 0 to 64
// CHECK: loop.load %x[%{{.*}} + 1, %{{.*}} + 1]
// CHECK: loop.for parallel "j" %{{.*}} = 0 to 64 {
// CHECK: loop.store %{{.*}}, %y[%{{.*}} + 3, %{{.*}} + 1]
func.func @normalized(%x: memref<6x66xf32>, %y: memref<8x66xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 1 to 5 {
    %s = affine.for %k = 1 to 65 iter_args(%acc = %zero) -> (f32) {
      %v = affine.load %x[%i, %k] : memref<6x66xf32>
      %t = arith.addf %acc, %v : f32
      affine.yield %t : f32
    }
    affine.for %j = 1 to 65 {
      %v = affine.load %x[%i, %j] : memref<6x66xf32>
      %q = arith.divf %v, %s : f32
      affine.store %q, %y[%i + 2, %j] : memref<8x66xf32>
    }
  }
  return
}

// Two stores are two kernels, in a loop that hands its results on.
// CHECK: func.func @steps
// CHECK: loop.for serial "t"
// CHECK: func.call @map(%x, %y)
// CHECK: func.call @map_1(%y, %x)
// CHECK-NOT: loop.for
// REMARK: the loop 't' stays as it is: an element of '%x' is touched by two stores of the nest in turn
func.func @steps(%z: memref<300xf32>, %x: memref<300xf32> {mlc.output}, %y: memref<300xf32> {mlc.output}) {
  affine.for %i = 0 to 300 {
    %v = affine.load %z[%i] : memref<300xf32>
    affine.store %v, %x[%i] : memref<300xf32>
    affine.store %v, %y[%i] : memref<300xf32>
  }
  %half = arith.constant 0.5 : f32
  affine.for %t = 0 to 2 {
    affine.for %i = 1 to 299 {
      %l = affine.load %x[%i - 1] : memref<300xf32>
      %r = affine.load %x[%i + 1] : memref<300xf32>
      %s = arith.addf %l, %r : f32
      %m = arith.mulf %s, %half : f32
      affine.store %m, %y[%i] : memref<300xf32>
    }
    affine.for %i = 1 to 299 {
      %v = affine.load %y[%i] : memref<300xf32>
      %m = arith.mulf %v, %half : f32
      affine.store %m, %x[%i] : memref<300xf32>
    }
  }
  return
}
