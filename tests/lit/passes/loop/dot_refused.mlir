// RUN: mlc-opt %s --split-input-file --apply-schedule 2>&1 >%t | filecheck %s
// RUN: mlc-opt %s --split-input-file --apply-schedule 2>%t | filecheck %s --check-prefix=SAME

// Loops stay as they are.
// SAME-NOT: loop.dot

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: 'w' is not known when the program is compiled
func.func private @unknown(%x: memref<3x12xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k, %n] : memref<12x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: it is not a sum of products
func.func private @sum(%x: memref<3x12xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k, %n] : memref<12x5xi8>
        %p = arith.addi %a, %b : i8
        %q = arith.extsi %p : i8 to i32
        %t = arith.addi %acc, %q : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<12x5xi8> to memref<12x5xi8>
  func.call @sum(%x, %w, %y) : (memref<3x12xi8>, memref<12x5xi8>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: a factor is not a widened short number
func.func private @wide(%x: memref<3x12xi32>, %w: memref<12x5xi32>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi32>
        %b = loop.load %w[%k, %n] : memref<12x5xi32>
        %p = arith.muli %a, %b : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi32>, %y: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<12x5xi32> to memref<12x5xi32>
  func.call @wide(%x, %w, %y) : (memref<3x12xi32>, memref<12x5xi32>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: it computes more than a sum of products of two numbers that it loads
func.func private @shifted(%x: memref<3x12xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k, %n] : memref<12x5xi8>
        %a32 = arith.extsi %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        %more = arith.addi %p, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<12x5xi8> to memref<12x5xi8>
  func.call @shifted(%x, %w, %y) : (memref<3x12xi8>, memref<12x5xi8>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: a factor is not loaded, or is a number of ui1, of which no word is made
func.func private @bits(%x: memref<3x12xi1>, %w: memref<12x5xi1>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi1>
        %b = loop.load %w[%k, %n] : memref<12x5xi1>
        %a32 = arith.extui %a : i1 to i32
        %b32 = arith.extsi %b : i1 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi1>, %y: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<true> : tensor<12x5xi1> to memref<12x5xi1>
  func.call @bits(%x, %w, %y) : (memref<3x12xi1>, memref<12x5xi1>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: it adds up numbers of i64, and dot products those of i32 or f32
func.func private @long(%x: memref<3x12xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi64> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i64
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i64) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k, %n] : memref<12x5xi8>
        %a32 = arith.extui %a : i8 to i64
        %b32 = arith.extsi %b : i8 to i64
        %p = arith.muli %a32, %b32 : i64
        %t = arith.addi %acc, %p : i64
        loop.yield %t : i64
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi64>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x5xi64> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<12x5xi8> to memref<12x5xi8>
  func.call @long(%x, %w, %y) : (memref<3x12xi8>, memref<12x5xi8>, memref<3x5xi64>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: it adds up numbers of i16, and dot products those of i32 or f32
func.func private @short(%x: memref<3x12xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi16> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i16
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i16) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k, %n] : memref<12x5xi8>
        %a32 = arith.extui %a : i8 to i16
        %b32 = arith.extsi %b : i8 to i16
        %p = arith.muli %a32, %b32 : i16
        %t = arith.addi %acc, %p : i16
        loop.yield %t : i16
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi16>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x5xi16> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<12x5xi8> to memref<12x5xi8>
  func.call @short(%x, %w, %y) : (memref<3x12xi8>, memref<12x5xi8>, memref<3x5xi16>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: a word holds other than 2 numbers of ui8 and i8
func.func private @two(%x: memref<3x12xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 2)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k, %n] : memref<12x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<12x5xi8> to memref<12x5xi8>
  func.call @two(%x, %w, %y) : (memref<3x12xi8>, memref<12x5xi8>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: a word holds other than 4 numbers of i8 and i16
func.func private @mixed(%x: memref<3x12xi8>, %w: memref<12x5xi16>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k, %n] : memref<12x5xi16>
        %a32 = arith.extsi %a : i8 to i32
        %b32 = arith.extsi %b : i16 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<12x5xi16> to memref<12x5xi16>
  func.call @mixed(%x, %w, %y) : (memref<3x12xi8>, memref<12x5xi16>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: 10 iterations are not a multiple of 4, counted from 0
func.func private @ten(%x: memref<3x12xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 10 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k, %n] : memref<12x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<12x5xi8> to memref<12x5xi8>
  func.call @ten(%x, %w, %y) : (memref<3x12xi8>, memref<12x5xi8>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: 8 iterations are not a multiple of 4, counted from 0
func.func private @from_four(%x: memref<3x12xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 4 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k, %n] : memref<12x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<12x5xi8> to memref<12x5xi8>
  func.call @from_four(%x, %w, %y) : (memref<3x12xi8>, memref<12x5xi8>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: none of its factors lies along memory where the other one is an argument
func.func private @across(%x: memref<12x3xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%k, %m] : memref<12x3xi8>
        %b = loop.load %w[%k, %n] : memref<12x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x: memref<12x3xi8>, %y: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<12x5xi8> to memref<12x5xi8>
  func.call @across(%x, %w, %y) : (memref<12x3xi8>, memref<12x5xi8>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: 14 numbers along the axis are not a multiple of 4
func.func private @longer(%x: memref<3x12xi8>, %w: memref<14x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k, %n] : memref<14x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<14x5xi8> to memref<14x5xi8>
  func.call @longer(%x, %w, %y) : (memref<3x12xi8>, memref<14x5xi8>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: a word of its weights would begin elsewhere
func.func private @later(%x: memref<3x12xi8>, %w: memref<16x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k + 1, %n] : memref<16x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<16x5xi8> to memref<16x5xi8>
  func.call @later(%x, %w, %y) : (memref<3x12xi8>, memref<16x5xi8>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: a word of its weights would begin elsewhere
func.func private @diagonal(%x: memref<3x12xi8>, %w: memref<12x16xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k, %n + %k] : memref<12x16xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<12x16xi8> to memref<12x16xi8>
  func.call @diagonal(%x, %w, %y) : (memref<3x12xi8>, memref<12x16xi8>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: its weights are the same in all iterations
func.func private @same(%x: memref<3x12xi8>, %w: memref<4x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%m, %n] : memref<4x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<4x5xi8> to memref<4x5xi8>
  func.call @same(%x, %w, %y) : (memref<3x12xi8>, memref<4x5xi8>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: the factor in words is not an argument of the kernel that only these loops read
func.func private @read_twice(%x: memref<3x12xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %first = loop.load %w[0, 0] : memref<12x5xi8>
  %widened = arith.extsi %first : i8 to i32
  loop.store %widened, %y[0, 0] : memref<3x5xi32>
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k, %n] : memref<12x5xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<12x5xi8> to memref<12x5xi8>
  func.call @read_twice(%x, %w, %y) : (memref<3x12xi8>, memref<12x5xi8>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: its factors in words are several arguments
func.func private @several(%x: memref<3x12xi8>, %w: memref<12x12xi8>, %v: memref<12x12xi8>, %y: memref<3x10xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k, %n] : memref<12x12xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x10xi32>
    }
  }
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %v[%k, %n] : memref<12x12xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n + 5] : memref<3x10xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x10xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<12x12xi8> to memref<12x12xi8>
  func.call @several(%x, %w, %w, %y) : (memref<3x12xi8>, memref<12x12xi8>, memref<12x12xi8>, memref<3x10xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, {{[24]}})': loop 'k' has no dot products: it runs along several axes of the argument
func.func private @axes(%x: memref<3x12xi8>, %w: memref<12x12xi8>, %y: memref<3x10xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%k, %n] : memref<12x12xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x10xi32>
    }
  }
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x12xi8>
        %b = loop.load %w[%n, %k] : memref<12x12xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n + 5] : memref<3x10xi32>
    }
  }
  return
}
func.func @main(%x: memref<3x12xi8>, %y: memref<3x10xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<12x12xi8> to memref<12x12xi8>
  func.call @axes(%x, %w, %y) : (memref<3x12xi8>, memref<12x12xi8>, memref<3x10xi32>) -> ()
  return
}
