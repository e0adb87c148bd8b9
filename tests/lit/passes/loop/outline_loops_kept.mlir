// RUN: mlc-opt %s --target x86-64-v3 --convert-scf-to-loop --outline-loops | filecheck %s
// RUN: mlc-opt %s --target x86-64-v3 --convert-scf-to-loop --outline-loops --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK
// CHECK-NOT: func.call
// CHECK-NOT: schedule = #loop.schedule<[vectorize

// REMARK: the loop 'i' stays as it is: an iteration of 'i' stores an element that another one of 'i' touches
func.func @prefix_sum(%x: memref<289xf32>, %y: memref<289xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  affine.store %zero, %y[0] : memref<289xf32>
  affine.for %i = 1 to 289 {
    %v = affine.load %x[%i] : memref<289xf32>
    %s = affine.load %y[%i - 1] : memref<289xf32>
    %t = arith.addf %s, %v : f32
    affine.store %t, %y[%i] : memref<289xf32>
  }
  return
}

// One buffer under two names; a copy waits for memory.
// REMARK: the loop 'i' stays as it is: no schedule template takes it
// REMARK: the loop 'i' stays as it is: an iteration of 'i' stores an element that another one of 'i' touches
func.func @two_names(%z: memref<17x17xf32>, %x: memref<17x17xf32> {mlc.output}) {
  affine.for %i = 0 to 17 {
    affine.for %j = 0 to 17 {
      %v = affine.load %z[%i, %j] : memref<17x17xf32>
      affine.store %v, %x[%i, %j] : memref<17x17xf32>
    }
  }
  %flat = memref.reinterpret_cast %x to offset: [0], sizes: [289], strides: [1] : memref<17x17xf32> to memref<289xf32>
  affine.for %i = 1 to 17 {
    affine.for %j = 0 to 17 {
      %v = affine.load %flat[%i * 17 + %j - 17] : memref<289xf32>
      %t = arith.addf %v, %v : f32
      affine.store %t, %x[%i, %j] : memref<17x17xf32>
    }
  }
  return
}

// It is not known which buffer is written.
// REMARK: the loop 'i' stays as it is: the buffer '%either' may be the same memory as another one
func.func @one_of_two(%x: memref<260xf32>, %y: memref<260xf32> {mlc.output}, %z: memref<260xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to 260 {
    affine.store %one, %y[%i] : memref<260xf32>
    affine.store %one, %z[%i] : memref<260xf32>
  }
  %first = memref.load %x[%c0] : memref<260xf32>
  %flag = arith.cmpf ogt, %first, %one : f32
  %either = scf.if %flag -> (memref<260xf32>) {
    scf.yield %y : memref<260xf32>
  } else {
    scf.yield %z : memref<260xf32>
  }
  affine.for %i = 1 to 260 {
    %v = affine.load %y[%i - 1] : memref<260xf32>
    %t = arith.addf %v, %one : f32
    affine.store %t, %either[%i] : memref<260xf32>
  }
  return
}

// REMARK: the loop 'i' stays as it is: it computes with index
func.func @indices(%x: memref<260x2xi64>, %y: memref<260xi64> {mlc.output}) {
  %zero = arith.constant 0 : index
  affine.for %i = 0 to 260 {
    %s = affine.for %j = 0 to 2 iter_args(%acc = %zero) -> (index) {
      %v = affine.load %x[%i, %j] : memref<260x2xi64>
      %w = arith.index_cast %v : i64 to index
      %t = arith.addi %acc, %w : index
      affine.yield %t : index
    }
    %q = arith.index_cast %s : index to i64
    affine.store %q, %y[%i] : memref<260xi64>
  }
  return
}

// What the first store changes, the second statement has read before in an earlier iteration.
// REMARK: the loop 'i' stays as it is: an element of '%x' is touched by two stores of the nest in turn
func.func @in_turn(%z: memref<289xf32>, %x: memref<289xf32> {mlc.output}, %y: memref<288xf32> {mlc.output}) {
  affine.for %i = 0 to 289 {
    %v = affine.load %z[%i] : memref<289xf32>
    affine.store %v, %x[%i] : memref<289xf32>
  }
  affine.for %i = 0 to 288 {
    %v = affine.load %z[%i] : memref<289xf32>
    affine.store %v, %x[%i] : memref<289xf32>
    %w = affine.load %x[%i + 1] : memref<289xf32>
    %t = arith.addf %w, %w : f32
    affine.store %t, %y[%i] : memref<288xf32>
  }
  return
}

// REMARK: the loop 'i' stays as it is: iterations store to one element, and no sum, product, maximum or minimum
func.func @last_one(%x: memref<17x17xf32>, %y: memref<17xf32> {mlc.output}) {
  affine.for %i = 0 to 17 {
    affine.for %j = 0 to 17 {
      %v = affine.load %x[%i, %j] : memref<17x17xf32>
      %t = arith.negf %v : f32
      affine.store %t, %y[%j] : memref<17xf32>
    }
  }
  return
}

// Sums are seen while they grow.
// REMARK: the loop 'i' stays as it is: an element of '%y' is touched by two stores of the nest in turn
func.func @partial_sums(%x: memref<17x17xf32>, %y: memref<17xf32> {mlc.output}, %z: memref<17x17xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 17 {
    affine.store %zero, %y[%i] : memref<17xf32>
  }
  affine.for %i = 0 to 17 {
    affine.for %j = 0 to 17 {
      %v = affine.load %x[%i, %j] : memref<17x17xf32>
      %s = affine.load %y[%i] : memref<17xf32>
      %t = arith.addf %s, %v : f32
      affine.store %t, %y[%i] : memref<17xf32>
      %u = affine.load %y[%i] : memref<17xf32>
      %w = arith.mulf %u, %u : f32
      affine.store %w, %z[%i, %j] : memref<17x17xf32>
    }
  }
  return
}

// A person has said how this one is to be.
func.func @scheduled(%x: memref<289xf32>, %y: memref<289xf32> {mlc.output}) attributes {schedule = #loop.schedule<[tile(i, 8)]>} {
  affine.for %i = 0 to 289 {
    %v = affine.load %x[%i] : memref<289xf32>
    %t = arith.negf %v : f32
    affine.store %t, %y[%i] : memref<289xf32>
  }
  return
}

// Few points, and copies of what lies side by side, take no kernel.
// REMARK: the loop 'i' stays as it is: its loads run 64 times, and a kernel takes 256
// REMARK: the loop 'i' stays as it is: no schedule template takes it
func.func @few(%x: memref<64xf32>, %a: memref<289xf32>, %y: memref<64xf32> {mlc.output}, %b: memref<289xf32> {mlc.output}) {
  affine.for %i = 0 to 64 {
    %v = affine.load %x[%i] : memref<64xf32>
    %t = arith.negf %v : f32
    affine.store %t, %y[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 289 {
    %v = affine.load %a[%i] : memref<289xf32>
    affine.store %v, %b[%i] : memref<289xf32>
  }
  return
}
