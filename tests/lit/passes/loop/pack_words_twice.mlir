// RUN: mlc-opt %s --apply-schedule --check-each | filecheck %s

// Two kernels whose weights are the same and whose panels differ: what the first one packed is made again.

// CHECK-LABEL: @narrow(%x: memref<3x12xi8>, %w: memref<3x3x2xi32>
// CHECK-LABEL: @wide(%x: memref<3x12xi8>, %w: memref<1x3x5xi32>
func.func private @narrow(%x: memref<3x12xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4), interchange(n, m), tile(n, 2), pack(w, n)]>} {
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
func.func private @wide(%x: memref<3x12xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4), interchange(n, m), tile(n, 8), pack(w, n)]>} {
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
func.func @twice(%x: memref<3x12xi8>, %y: memref<3x5xi32> {mlc.output}, %z: memref<3x5xi32> {mlc.output}) {
  %w = loop.constant dense<7> : tensor<12x5xi8> to memref<12x5xi8>
  func.call @narrow(%x, %w, %y) : (memref<3x12xi8>, memref<12x5xi8>, memref<3x5xi32>) -> ()
  func.call @wide(%x, %w, %z) : (memref<3x12xi8>, memref<12x5xi8>, memref<3x5xi32>) -> ()
  return
}
