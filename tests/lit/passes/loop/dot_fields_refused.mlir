// RUN: mlc-opt %s --split-input-file --apply-schedule 2>&1 >%t | filecheck %s
// RUN: mlc-opt %s --split-input-file --apply-schedule 2>%t | filecheck %s --check-prefix=SAME

// Loops stay as they are.
// SAME-NOT: loop.dot

// CHECK: loop 'k' has no dot products: the numbers of the factor in words are not all from 0 to 15
func.func private @kernel(%x: memref<16xi8>, %w: memref<16x5xi8>, %y: memref<5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 8)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "n" %n = 0 to 5 {
    %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (i32) {
      %a = loop.load %x[%k] : memref<16xi8>
      %b = loop.load %w[%k, %n] : memref<16x5xi8>
      %a32 = arith.extsi %a : i8 to i32
      %b32 = arith.extui %b : i8 to i32
      %p = arith.muli %a32, %b32 : i32
      %t = arith.addi %acc, %p : i32
      loop.yield %t : i32
    }
    loop.store %s, %y[%n] : memref<5xi32>
  }
  return
}
func.func @main(%x: memref<16xi8>, %y: memref<5xi32> {mlc.output}) {
  %w = loop.constant dense<16> : tensor<16x5xi8> to memref<16x5xi8>
  func.call @kernel(%x, %w, %y) : (memref<16xi8>, memref<16x5xi8>, memref<5xi32>) -> ()
  return
}

// -----

// CHECK: loop 'k' has no dot products: the numbers of the factor in words are not all from 0 to 15
func.func private @kernel(%x: memref<16xi8>, %w: memref<16x5xi8>, %y: memref<5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 8)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "n" %n = 0 to 5 {
    %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (i32) {
      %a = loop.load %x[%k] : memref<16xi8>
      %b = loop.load %w[%k, %n] : memref<16x5xi8>
      %a32 = arith.extsi %a : i8 to i32
      %b32 = arith.extui %b : i8 to i32
      %p = arith.muli %a32, %b32 : i32
      %t = arith.addi %acc, %p : i32
      loop.yield %t : i32
    }
    loop.store %s, %y[%n] : memref<5xi32>
  }
  return
}
func.func @main(%x: memref<16xi8>, %y: memref<5xi32> {mlc.output}) {
  %w = loop.constant dense<-1> : tensor<16x5xi8> to memref<16x5xi8>
  func.call @kernel(%x, %w, %y) : (memref<16xi8>, memref<16x5xi8>, memref<5xi32>) -> ()
  return
}

// -----

// CHECK: loop 'k' has no dot products: the numbers of the factor in words are not all from 0 to 3
func.func private @kernel(%x: memref<16xi8>, %w: memref<16x5xi8>, %y: memref<5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 16)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "n" %n = 0 to 5 {
    %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (i32) {
      %a = loop.load %x[%k] : memref<16xi8>
      %b = loop.load %w[%k, %n] : memref<16x5xi8>
      %a32 = arith.extsi %a : i8 to i32
      %b32 = arith.extui %b : i8 to i32
      %p = arith.muli %a32, %b32 : i32
      %t = arith.addi %acc, %p : i32
      loop.yield %t : i32
    }
    loop.store %s, %y[%n] : memref<5xi32>
  }
  return
}
func.func @main(%x: memref<16xi8>, %y: memref<5xi32> {mlc.output}) {
  %w = loop.constant dense<4> : tensor<16x5xi8> to memref<16x5xi8>
  func.call @kernel(%x, %w, %y) : (memref<16xi8>, memref<16x5xi8>, memref<5xi32>) -> ()
  return
}

// -----

// CHECK: loop 'k' has no dot products: 12 iterations are not a multiple of 8, counted from 0
func.func private @kernel(%x: memref<16xi8>, %w: memref<16x5xi8>, %y: memref<5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 8)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "n" %n = 0 to 5 {
    %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (i32) {
      %a = loop.load %x[%k] : memref<16xi8>
      %b = loop.load %w[%k, %n] : memref<16x5xi8>
      %a32 = arith.extsi %a : i8 to i32
      %b32 = arith.extui %b : i8 to i32
      %p = arith.muli %a32, %b32 : i32
      %t = arith.addi %acc, %p : i32
      loop.yield %t : i32
    }
    loop.store %s, %y[%n] : memref<5xi32>
  }
  return
}
func.func @main(%x: memref<16xi8>, %y: memref<5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<16x5xi8> to memref<16x5xi8>
  func.call @kernel(%x, %w, %y) : (memref<16xi8>, memref<16x5xi8>, memref<5xi32>) -> ()
  return
}

// -----

// CHECK: loop 'k' has no dot products: a word of its weights would begin elsewhere
func.func private @kernel(%x: memref<24xi8>, %w: memref<24x5xi8>, %y: memref<5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 8)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "n" %n = 0 to 5 {
    %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (i32) {
      %a = loop.load %x[%k] : memref<24xi8>
      %b = loop.load %w[%k + 4, %n] : memref<24x5xi8>
      %a32 = arith.extsi %a : i8 to i32
      %b32 = arith.extui %b : i8 to i32
      %p = arith.muli %a32, %b32 : i32
      %t = arith.addi %acc, %p : i32
      loop.yield %t : i32
    }
    loop.store %s, %y[%n] : memref<5xi32>
  }
  return
}
func.func @main(%x: memref<24xi8>, %y: memref<5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<24x5xi8> to memref<24x5xi8>
  func.call @kernel(%x, %w, %y) : (memref<24xi8>, memref<24x5xi8>, memref<5xi32>) -> ()
  return
}

// -----

// CHECK: loop 'k' has no dot products: a word holds other than 32 numbers of i8 and ui8
func.func private @kernel(%x: memref<32xi8>, %w: memref<32x5xi8>, %y: memref<5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 32)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "n" %n = 0 to 5 {
    %s = loop.for serial "k" %k = 0 to 32 iter_args(%acc = %zero) -> (i32) {
      %a = loop.load %x[%k] : memref<32xi8>
      %b = loop.load %w[%k, %n] : memref<32x5xi8>
      %a32 = arith.extsi %a : i8 to i32
      %b32 = arith.extui %b : i8 to i32
      %p = arith.muli %a32, %b32 : i32
      %t = arith.addi %acc, %p : i32
      loop.yield %t : i32
    }
    loop.store %s, %y[%n] : memref<5xi32>
  }
  return
}
func.func @main(%x: memref<32xi8>, %y: memref<5xi32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<32x5xi8> to memref<32x5xi8>
  func.call @kernel(%x, %w, %y) : (memref<32xi8>, memref<32x5xi8>, memref<5xi32>) -> ()
  return
}
