// RUN: mlc-opt %s --split-input-file --apply-schedule 2>&1 >%t | filecheck %s
// RUN: mlc-opt %s --split-input-file --apply-schedule 2>%t | filecheck %s --check-prefix=SAME

// Loops stay as they are.
// SAME-NOT: loop.dot

// CHECK: warning: schedule step 'dot_taps(n, {{[0-9]}})': loop 'n' has no dot products of taps: it has no written out sums of products of short integers with a constant
func.func private @unknown(%x: memref<7x5xi8>, %w: memref<3x5xi8>, %y: memref<5x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(m, 2), unroll(mi), unroll(k), dot_taps(n, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 5 {
    loop.for parallel "n" %n = 0 to 5 {
      %s0 = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m + %k, %n] : memref<7x5xi8>
        %b = loop.load %w[%k, %n] : memref<3x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s0, %y[%m, %n] : memref<5x5xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'dot_taps(n, {{[0-9]}})': loop 'n' has no dot products of taps: it has no written out sums of products of short integers with a constant
func.func private @loop(%x: memref<7x5xi8>, %w: memref<3x5xi8>, %y: memref<5x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot_taps(n, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 5 {
    loop.for parallel "n" %n = 0 to 5 {
      %s0 = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m + %k, %n] : memref<7x5xi8>
        %b = loop.load %w[%k, %n] : memref<3x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s0, %y[%m, %n] : memref<5x5xi32>
    }
  }
  return
}

func.func @main(%x: memref<7x5xi8> {mlc.unsigned}, %y: memref<5x5xi32> {mlc.output}) {
  %w = loop.constant dense<[[1, 2, 3, 4, 5], [6, -7, 8, -9, 10], [-128, 127, 13, 14, 15]]> : tensor<3x5xi8> to memref<3x5xi8>
  func.call @loop(%x, %w, %y) : (memref<7x5xi8>, memref<3x5xi8>, memref<5x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot_taps(n, {{[0-9]}})': loop 'n' has no dot products of taps: a word holds other than 3 numbers of ui8
func.func private @count(%x: memref<7x5xi8>, %w: memref<3x5xi8>, %y: memref<5x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(m, 2), unroll(mi), unroll(k), dot_taps(n, 3)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 5 {
    loop.for parallel "n" %n = 0 to 5 {
      %s0 = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m + %k, %n] : memref<7x5xi8>
        %b = loop.load %w[%k, %n] : memref<3x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s0, %y[%m, %n] : memref<5x5xi32>
    }
  }
  return
}

func.func @main(%x: memref<7x5xi8> {mlc.unsigned}, %y: memref<5x5xi32> {mlc.output}) {
  %w = loop.constant dense<[[1, 2, 3, 4, 5], [6, -7, 8, -9, 10], [-128, 127, 13, 14, 15]]> : tensor<3x5xi8> to memref<3x5xi8>
  func.call @count(%x, %w, %y) : (memref<7x5xi8>, memref<3x5xi8>, memref<5x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot_taps(n, {{[0-9]}})': loop 'n' has no dot products of taps: its products are of several types
func.func private @types(%x: memref<7x5xi8>, %w: memref<3x5xi8>, %y: memref<5x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[unroll(k), dot_taps(n, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 5 {
    loop.for parallel "n" %n = 0 to 5 {
      %s0 = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m + %k, %n] : memref<7x5xi8>
        %b = loop.load %w[%k, %n] : memref<3x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      %s2 = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m + %k, %n] : memref<7x5xi8>
        %b = loop.load %w[%k, %n] : memref<3x5xi8>
        %a32 = arith.extsi %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }

      %both = arith.xori %s0, %s2 : i32
      loop.store %both, %y[%m, %n] : memref<5x5xi32>
    }
  }
  return
}

func.func @main(%x: memref<7x5xi8> {mlc.unsigned}, %y: memref<5x5xi32> {mlc.output}) {
  %w = loop.constant dense<[[1, 2, 3, 4, 5], [6, -7, 8, -9, 10], [-128, 127, 13, 14, 15]]> : tensor<3x5xi8> to memref<3x5xi8>
  func.call @types(%x, %w, %y) : (memref<7x5xi8>, memref<3x5xi8>, memref<5x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot_taps(n, {{[0-9]}})': loop 'n' has no dot products of taps: its weights are not read at numbers along all axes but one
func.func private @axes(%x: memref<7x5xi8>, %w: memref<3x5xi8>, %y: memref<5x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[unroll(k), dot_taps(n, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 5 {
    loop.for parallel "n" %n = 0 to 5 {
      %s0 = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m + %k, %n] : memref<7x5xi8>
        %b = loop.load %w[%m floordiv 3, %n] : memref<3x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s0, %y[%m, %n] : memref<5x5xi32>
    }
  }
  return
}

func.func @main(%x: memref<7x5xi8> {mlc.unsigned}, %y: memref<5x5xi32> {mlc.output}) {
  %w = loop.constant dense<[[1, 2, 3, 4, 5], [6, -7, 8, -9, 10], [-128, 127, 13, 14, 15]]> : tensor<3x5xi8> to memref<3x5xi8>
  func.call @axes(%x, %w, %y) : (memref<7x5xi8>, memref<3x5xi8>, memref<5x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot_taps(n, {{[0-9]}})': loop 'n' has no dot products of taps: a sum has two products with one pixel
func.func private @twice(%x: memref<7x5xi8>, %w: memref<3x5xi8>, %y: memref<5x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[unroll(k), dot_taps(n, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 5 {
    loop.for parallel "n" %n = 0 to 5 {
      %s0 = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %n] : memref<7x5xi8>
        %b = loop.load %w[%k, %n] : memref<3x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s0, %y[%m, %n] : memref<5x5xi32>
    }
  }
  return
}

func.func @main(%x: memref<7x5xi8> {mlc.unsigned}, %y: memref<5x5xi32> {mlc.output}) {
  %w = loop.constant dense<[[1, 2, 3, 4, 5], [6, -7, 8, -9, 10], [-128, 127, 13, 14, 15]]> : tensor<3x5xi8> to memref<3x5xi8>
  func.call @twice(%x, %w, %y) : (memref<7x5xi8>, memref<3x5xi8>, memref<5x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot_taps(n, {{[0-9]}})': loop 'n' has no dot products of taps: something else reads its weights
func.func private @others(%x: memref<7x5xi8>, %w: memref<3x5xi8>, %y: memref<5x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[unroll(k), dot_taps(n, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 5 {
    loop.for parallel "n" %n = 0 to 5 {
      %s0 = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m + %k, %n] : memref<7x5xi8>
        %b = loop.load %w[%k, %n] : memref<3x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      %other = loop.load %w[0, %n] : memref<3x5xi8>
      %wide = arith.extsi %other : i8 to i32
      %s1 = arith.xori %s0, %wide : i32
      loop.store %s1, %y[%m, %n] : memref<5x5xi32>
    }
  }
  return
}

func.func @main(%x: memref<7x5xi8> {mlc.unsigned}, %y: memref<5x5xi32> {mlc.output}) {
  %w = loop.constant dense<[[1, 2, 3, 4, 5], [6, -7, 8, -9, 10], [-128, 127, 13, 14, 15]]> : tensor<3x5xi8> to memref<3x5xi8>
  func.call @others(%x, %w, %y) : (memref<7x5xi8>, memref<3x5xi8>, memref<5x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot_taps(n, {{[0-9]}})': loop 'n' has no dot products of taps: what is added is computed between the sums
func.func private @between(%x: memref<7x5xi8>, %w: memref<3x5xi8>, %y: memref<5x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[unroll(k), dot_taps(n, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 5 {
    loop.for parallel "n" %n = 0 to 5 {
      %s0 = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m + %k, %n] : memref<7x5xi8>
        %b = loop.load %w[%k, %n] : memref<3x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      %other = loop.load %x[0, %n] : memref<7x5xi8>
      %wide = arith.extsi %other : i8 to i32
      %s1 = arith.addi %s0, %wide : i32
      loop.store %s1, %y[%m, %n] : memref<5x5xi32>
    }
  }
  return
}

func.func @main(%x: memref<7x5xi8> {mlc.unsigned}, %y: memref<5x5xi32> {mlc.output}) {
  %w = loop.constant dense<[[1, 2, 3, 4, 5], [6, -7, 8, -9, 10], [-128, 127, 13, 14, 15]]> : tensor<3x5xi8> to memref<3x5xi8>
  func.call @between(%x, %w, %y) : (memref<7x5xi8>, memref<3x5xi8>, memref<5x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot_taps(n, {{[0-9]}})': loop 'n' has no dot products of taps: it stores in what it adds
func.func private @stores(%x: memref<7x5xi8>, %w: memref<3x5xi8>, %y: memref<5x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[unroll(k), dot_taps(n, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 5 {
    loop.for parallel "n" %n = 0 to 5 {
      %s0 = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m + %k, %n] : memref<7x5xi8>
        %b = loop.load %w[%k, %n] : memref<3x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      %old = loop.load %y[%m, %n] : memref<5x5xi32>
      %s1 = arith.addi %s0, %old : i32
      loop.store %s1, %y[%m, %n] : memref<5x5xi32>
    }
  }
  return
}

func.func @main(%x: memref<7x5xi8> {mlc.unsigned}, %y: memref<5x5xi32> {mlc.output}) {
  %w = loop.constant dense<[[1, 2, 3, 4, 5], [6, -7, 8, -9, 10], [-128, 127, 13, 14, 15]]> : tensor<3x5xi8> to memref<3x5xi8>
  func.call @stores(%x, %w, %y) : (memref<7x5xi8>, memref<3x5xi8>, memref<5x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot_taps(n, {{[0-9]}})': loop 'n' has no dot products of taps: it stores in what it reads
func.func private @in_place(%x: memref<7x5xi8>, %w: memref<3x5xi8>, %y: memref<5x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[unroll(k), dot_taps(n, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for serial "m" %m = 0 to 5 {
    loop.for parallel "n" %n = 0 to 5 {
      %s0 = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m + %k, %n] : memref<7x5xi8>
        %b = loop.load %w[%k, %n] : memref<3x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      %byte = arith.trunci %s0 : i32 to i8
      loop.store %byte, %x[%m, %n] : memref<7x5xi8>
      loop.store %s0, %y[%m, %n] : memref<5x5xi32>
    }
  }
  return
}

func.func @main(%x: memref<7x5xi8> {mlc.unsigned}, %y: memref<5x5xi32> {mlc.output}) {
  %w = loop.constant dense<[[1, 2, 3, 4, 5], [6, -7, 8, -9, 10], [-128, 127, 13, 14, 15]]> : tensor<3x5xi8> to memref<3x5xi8>
  func.call @in_place(%x, %w, %y) : (memref<7x5xi8>, memref<3x5xi8>, memref<5x5xi32>) -> ()
  return
}
