// RUN: mlc-opt %s --split-input-file --apply-schedule --remarks 2>&1 >%t | filecheck %s

// CHECK: loop 'k' does not read words: its weights are not all from -8 to 7, the integers of four bits
func.func private @kernel(%x: memref<16xf32>, %w: memref<16x5xi8>, %y: memref<5xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[unpack(k)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 5 {
    %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%k] : memref<16xf32>
      %b = loop.load %w[%k, %n] : memref<16x5xi8>
      %c = arith.extsi %b : i8 to i32
      %d = arith.sitofp %c : i32 to f32
      %e = math.fma %a, %d, %acc : f32
      loop.yield %e : f32
    }
    loop.store %s, %y[%n] : memref<5xf32>
  }
  return
}
func.func @main(%x: memref<16xf32>, %y: memref<5xf32> {mlc.output}) {
  %w = loop.constant dense<8> : tensor<16x5xi8> to memref<16x5xi8>
  func.call @kernel(%x, %w, %y) : (memref<16xf32>, memref<16x5xi8>, memref<5xf32>) -> ()
  return
}

// -----

// CHECK: loop 'k' does not read words: its weights are not known when the program is compiled
func.func private @kernel(%x: memref<16xf32>, %w: memref<16x5xi8>, %y: memref<5xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[unpack(k)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 5 {
    %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%k] : memref<16xf32>
      %b = loop.load %w[%k, %n] : memref<16x5xi8>
      %c = arith.extsi %b : i8 to i32
      %d = arith.sitofp %c : i32 to f32
      %e = math.fma %a, %d, %acc : f32
      loop.yield %e : f32
    }
    loop.store %s, %y[%n] : memref<5xf32>
  }
  return
}
func.func @main(%x: memref<16xf32>, %w: memref<16x5xi8>, %y: memref<5xf32> {mlc.output}) {
  func.call @kernel(%x, %w, %y) : (memref<16xf32>, memref<16x5xi8>, memref<5xf32>) -> ()
  return
}

// -----

// CHECK: loop 'k' does not read words: 12 iterations are not a multiple of 8, counted from 0
func.func private @kernel(%x: memref<16xf32>, %w: memref<16x5xi8>, %y: memref<5xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[unpack(k)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 5 {
    %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%k] : memref<16xf32>
      %b = loop.load %w[%k, %n] : memref<16x5xi8>
      %c = arith.extsi %b : i8 to i32
      %d = arith.sitofp %c : i32 to f32
      %e = math.fma %a, %d, %acc : f32
      loop.yield %e : f32
    }
    loop.store %s, %y[%n] : memref<5xf32>
  }
  return
}
func.func @main(%x: memref<16xf32>, %y: memref<5xf32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<16x5xi8> to memref<16x5xi8>
  func.call @kernel(%x, %w, %y) : (memref<16xf32>, memref<16x5xi8>, memref<5xf32>) -> ()
  return
}

// -----

// CHECK: loop 'k' does not read words: a word of its weights would begin elsewhere
func.func private @kernel(%x: memref<16xf32>, %w: memref<24x5xi8>, %y: memref<5xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[unpack(k)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 5 {
    %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%k] : memref<16xf32>
      %b = loop.load %w[%k + 4, %n] : memref<24x5xi8>
      %c = arith.extsi %b : i8 to i32
      %d = arith.sitofp %c : i32 to f32
      %e = math.fma %a, %d, %acc : f32
      loop.yield %e : f32
    }
    loop.store %s, %y[%n] : memref<5xf32>
  }
  return
}
func.func @main(%x: memref<16xf32>, %y: memref<5xf32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<24x5xi8> to memref<24x5xi8>
  func.call @kernel(%x, %w, %y) : (memref<16xf32>, memref<24x5xi8>, memref<5xf32>) -> ()
  return
}

// -----

// CHECK: loop 'k' does not read words: it is neither a sum of products with one constant of i8 nor a copy of it
func.func private @kernel(%x: memref<16xf32>, %w: memref<16x5xf32>, %y: memref<5xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[unpack(k)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 5 {
    %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%k] : memref<16xf32>
      %b = loop.load %w[%k, %n] : memref<16x5xf32>
      %e = math.fma %a, %b, %acc : f32
      loop.yield %e : f32
    }
    loop.store %s, %y[%n] : memref<5xf32>
  }
  return
}

// -----

// CHECK: loop 'k' does not read words: a word of its weights would begin elsewhere
func.func private @kernel(%x: memref<16xf32>, %w: memref<24x5xi8>, %y: memref<5xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[unpack(k)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 5 {
    %t = loop.for serial "g" %g = 0 to 2 iter_args(%sum = %zero) -> (f32) {
      %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %sum) -> (f32) {
        %a = loop.load %x[%k] : memref<16xf32>
        %b = loop.load %w[%g * 4 + %k, %n] : memref<24x5xi8>
        %c = arith.extsi %b : i8 to i32
        %d = arith.sitofp %c : i32 to f32
        %e = math.fma %a, %d, %acc : f32
        loop.yield %e : f32
      }
      loop.yield %s : f32
    }
    loop.store %t, %y[%n] : memref<5xf32>
  }
  return
}
func.func @main(%x: memref<16xf32>, %y: memref<5xf32> {mlc.output}) {
  %w = loop.constant dense<1> : tensor<24x5xi8> to memref<24x5xi8>
  func.call @kernel(%x, %w, %y) : (memref<16xf32>, memref<24x5xi8>, memref<5xf32>) -> ()
  return
}
