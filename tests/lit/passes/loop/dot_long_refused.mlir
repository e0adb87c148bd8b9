// RUN: mlc-opt %s --split-input-file --apply-schedule 2>&1 >%t | filecheck %s
// RUN: mlc-opt %s --split-input-file --apply-schedule 2>%t | filecheck %s --check-prefix=SAME

// Loops stay as they are.
// SAME-NOT: loop.dot

// CHECK: warning: schedule step 'dot(k, 8, 48)': loop 'k' has no dot products: a word has 32 or 64 bits, not 48
func.func private @width(%x: memref<3x16xi8>, %w: memref<16x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 8, 48)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x16xi8>
        %b = loop.load %w[%k, %n] : memref<16x5xi8>
        %a32 = arith.extsi %a : i8 to i32
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
func.func @main(%x0: memref<3x16xi8>, %y0: memref<3x5xi32> {mlc.output}) {
  %w0 = loop.constant dense<1> : tensor<16x5xi8> to memref<16x5xi8>
  func.call @width(%x0, %w0, %y0) : (memref<3x16xi8>, memref<16x5xi8>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, 4, 64)': loop 'k' has no dot products: a word holds other than 4 numbers of i8 and i8
func.func private @half(%x: memref<3x16xi8>, %w: memref<16x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4, 64)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x16xi8>
        %b = loop.load %w[%k, %n] : memref<16x5xi8>
        %a32 = arith.extsi %a : i8 to i32
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
func.func @main(%x0: memref<3x16xi8>, %y0: memref<3x5xi32> {mlc.output}) {
  %w0 = loop.constant dense<1> : tensor<16x5xi8> to memref<16x5xi8>
  func.call @half(%x0, %w0, %y0) : (memref<3x16xi8>, memref<16x5xi8>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, 8, 64)': loop 'k' has no dot products: 12 iterations are not a multiple of 8, counted from 0
func.func private @rest(%x: memref<3x12xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 8, 64)]>} {
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
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}
func.func @main(%x0: memref<3x12xi8>, %y0: memref<3x5xi32> {mlc.output}) {
  %w0 = loop.constant dense<1> : tensor<12x5xi8> to memref<12x5xi8>
  func.call @rest(%x0, %w0, %y0) : (memref<3x12xi8>, memref<12x5xi8>, memref<3x5xi32>) -> ()
  return
}

// -----

// CHECK: warning: schedule step 'dot(k, 16, 64)': loop 'k' has no dot products: a word holds other than 16 numbers of i8 and i8
func.func private @fields(%x: memref<3x16xi8>, %w: memref<16x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 16, 64)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x16xi8>
        %b = loop.load %w[%k, %n] : memref<16x5xi8>
        %a32 = arith.extsi %a : i8 to i32
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
func.func @main(%x0: memref<3x16xi8>, %y0: memref<3x5xi32> {mlc.output}) {
  %w0 = loop.constant dense<1> : tensor<16x5xi8> to memref<16x5xi8>
  func.call @fields(%x0, %w0, %y0) : (memref<3x16xi8>, memref<16x5xi8>, memref<3x5xi32>) -> ()
  return
}
