// RUN: mlc-opt %s --apply-schedule --target=haswell --check-each | filecheck %s --check-prefixes=CHECK,AVX2
// RUN: mlc-opt %s --apply-schedule --target=alderlake | filecheck %s --check-prefixes=CHECK,OTHER
// RUN: mlc-opt %s --apply-schedule --target=cortex-a72 | filecheck %s --check-prefixes=CHECK,OTHER

// Sums of two products of weights that no number without a sign makes too large are noted, for targets that add them up
// in 16 bits: 255 times 128 fits, and 255 times 129 does not. One kernel has to hold for all of its weights.

// CHECK-LABEL: @fits(
// AVX2:  loop.dot {{.*}} of ui8, i8 in_i16
// OTHER: loop.dot {{.*}} of ui8, i8 :
func.func private @fits(%x: memref<3x4xi8>, %w: memref<4x2xi8>, %y: memref<3x2xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 2 {
      %s = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x4xi8>
        %b = loop.load %w[%k, %n] : memref<4x2xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x2xi32>
    }
  }
  return
}

// CHECK-LABEL: @positive(
// CHECK: loop.dot {{.*}} of ui8, i8 :
func.func private @positive(%x: memref<3x4xi8>, %w: memref<4x2xi8>, %y: memref<3x2xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 2 {
      %s = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x4xi8>
        %b = loop.load %w[%k, %n] : memref<4x2xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x2xi32>
    }
  }
  return
}

// CHECK-LABEL: @negative(
// CHECK: loop.dot {{.*}} of ui8, i8 :
func.func private @negative(%x: memref<3x4xi8>, %w: memref<4x2xi8>, %y: memref<3x2xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 2 {
      %s = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x4xi8>
        %b = loop.load %w[%k, %n] : memref<4x2xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x2xi32>
    }
  }
  return
}

// CHECK-LABEL: @both(
// CHECK: loop.dot {{.*}} of ui8, i8 :
func.func private @both(%x: memref<3x4xi8>, %w: memref<4x2xi8>, %y: memref<3x2xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 2 {
      %s = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x4xi8>
        %b = loop.load %w[%k, %n] : memref<4x2xi8>
        %a32 = arith.extui %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x2xi32>
    }
  }
  return
}

// CHECK-LABEL: @signed(
// CHECK: loop.dot {{.*}} of i8, i8 :
func.func private @signed(%x: memref<3x4xi8>, %w: memref<4x2xi8>, %y: memref<3x2xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 2 {
      %s = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x4xi8>
        %b = loop.load %w[%k, %n] : memref<4x2xi8>
        %a32 = arith.extsi %a : i8 to i32
        %b32 = arith.extsi %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x2xi32>
    }
  }
  return
}

// Weights without a sign, whose bytes look like negative ones in memory: -128 times 256 fits, and times 257 does not.
// CHECK-LABEL: @without_sign(
// AVX2:  loop.dot {{.*}} of i8, ui8 in_i16
// OTHER: loop.dot {{.*}} of i8, ui8 :
func.func private @without_sign(%x: memref<3x4xi8>, %w: memref<4x2xi8>, %y: memref<3x2xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 2 {
      %s = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x4xi8>
        %b = loop.load %w[%k, %n] : memref<4x2xi8>
        %a32 = arith.extsi %a : i8 to i32
        %b32 = arith.extui %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x2xi32>
    }
  }
  return
}

// CHECK-LABEL: @too_large(
// CHECK: loop.dot {{.*}} of i8, ui8 :
func.func private @too_large(%x: memref<3x4xi8>, %w: memref<4x2xi8>, %y: memref<3x2xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 2 {
      %s = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x4xi8>
        %b = loop.load %w[%k, %n] : memref<4x2xi8>
        %a32 = arith.extsi %a : i8 to i32
        %b32 = arith.extui %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x2xi32>
    }
  }
  return
}

func.func @main(%x: memref<3x4xi8>, %y: memref<3x2xi32> {mlc.output}) {
  %fits = loop.constant dense<[[127, -128], [1, 127], [-127, 64], [-1, 64]]> : tensor<4x2xi8> to memref<4x2xi8>
  %positive = loop.constant dense<[[1, 1], [2, 2], [3, 127], [4, 2]]> : tensor<4x2xi8> to memref<4x2xi8>
  %negative = loop.constant dense<[[-128, 1], [-1, 2], [3, 0], [4, 2]]> : tensor<4x2xi8> to memref<4x2xi8>
  %half = loop.constant dense<[[-128, 0], [-128, 1], [-1, 0], [1, -1]]> : tensor<4x2xi8> to memref<4x2xi8>
  %more = loop.constant dense<[[-128, 0], [-127, -1], [0, 0], [-1, 1]]> : tensor<4x2xi8> to memref<4x2xi8>
  func.call @fits(%x, %fits, %y) : (memref<3x4xi8>, memref<4x2xi8>, memref<3x2xi32>) -> ()
  func.call @positive(%x, %positive, %y) : (memref<3x4xi8>, memref<4x2xi8>, memref<3x2xi32>) -> ()
  func.call @negative(%x, %negative, %y) : (memref<3x4xi8>, memref<4x2xi8>, memref<3x2xi32>) -> ()
  func.call @both(%x, %fits, %y) : (memref<3x4xi8>, memref<4x2xi8>, memref<3x2xi32>) -> ()
  func.call @both(%x, %positive, %y) : (memref<3x4xi8>, memref<4x2xi8>, memref<3x2xi32>) -> ()
  func.call @signed(%x, %fits, %y) : (memref<3x4xi8>, memref<4x2xi8>, memref<3x2xi32>) -> ()
  func.call @without_sign(%x, %half, %y) : (memref<3x4xi8>, memref<4x2xi8>, memref<3x2xi32>) -> ()
  func.call @too_large(%x, %more, %y) : (memref<3x4xi8>, memref<4x2xi8>, memref<3x2xi32>) -> ()
  return
}
