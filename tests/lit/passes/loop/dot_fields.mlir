// RUN: mlc-opt %s --apply-schedule --check-each --target=znver4 | filecheck %s

// Eight weights along the sum are a word: the low fields of its bytes are the first four, the high ones the others.

// CHECK-LABEL: @nibbles(%x: memref<2x32xi8>, %w: memref<4x5xi32>, %y: memref<2x2x5xi32>
// CHECK:               loop.for serial "k" %[[K:.*]] = 0 to 2 iter_args(%[[ACC:.*]] = %zero)
// CHECK-NEXT:            %[[WORD:.*]] = loop.load %w[%g * 2 + %[[K]], %n] : memref<4x5xi32>
// CHECK-NEXT:            %[[A:.*]] = loop.unpack_bytes %[[WORD]][0] of 4 : i32
// CHECK-NEXT:            loop.load %x[%m, %g * 16 + %[[K]] * 8] : memref<2x32xi8>, vector<4xi8>
// CHECK:                 %[[S:.*]] = loop.dot %{{.*}}, %[[A]], %[[ACC]] of i8, ui8 : i32, i32
// CHECK-NEXT:            %[[B:.*]] = loop.unpack_bytes %[[WORD]][1] of 4 : i32
// CHECK-NEXT:            loop.load %x[%m, %g * 16 + %[[K]] * 8 + 4] : memref<2x32xi8>, vector<4xi8>
// CHECK:                 %[[T:.*]] = loop.dot %{{.*}}, %[[B]], %[[S]] of i8, ui8 : i32, i32
// CHECK-NEXT:            loop.yield %[[T]] : i32
func.func private @nibbles(%x: memref<2x32xi8>, %w: memref<32x5xi8>, %y: memref<2x2x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 8)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 2 {
    loop.for parallel "g" %g = 0 to 2 {
      loop.for parallel "n" %n = 0 to 5 {
        %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (i32) {
          %a = loop.load %x[%m, %g * 16 + %k] : memref<2x32xi8>
          %b = loop.load %w[%g * 16 + %k, %n] : memref<32x5xi8>
          %a32 = arith.extsi %a : i8 to i32
          %b32 = arith.extui %b : i8 to i32
          %p = arith.muli %a32, %b32 : i32
          %t = arith.addi %acc, %p : i32
          loop.yield %t : i32
        }
        loop.store %s, %y[%m, %g, %n] : memref<2x2x5xi32>
      }
    }
  }
  return
}

// Sixteen of two bits each.

// CHECK-LABEL: @pairs_of_bits(%x: memref<32xi8>, %w: memref<2x1xi32>, %y: memref<1xi32>
// CHECK:         loop.load %w[%[[K:.*]], 0] : memref<2x1xi32>
// CHECK-NEXT:    loop.unpack_bytes %{{.*}}[0] of 2
// CHECK-NEXT:    loop.load %x[%[[K]] * 16]
// CHECK:         loop.unpack_bytes %{{.*}}[3] of 2
// CHECK-NEXT:    loop.load %x[%[[K]] * 16 + 12]
// CHECK:         loop.dot
// CHECK-NOT:     loop.dot
func.func private @pairs_of_bits(%x: memref<32xi8>, %w: memref<32x1xi8>, %y: memref<1xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 16)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "n" %n = 0 to 1 {
    %s = loop.for serial "k" %k = 0 to 32 iter_args(%acc = %zero) -> (i32) {
      %a = loop.load %x[%k] : memref<32xi8>
      %b = loop.load %w[%k, %n] : memref<32x1xi8>
      %a32 = arith.extsi %a : i8 to i32
      %b32 = arith.extui %b : i8 to i32
      %p = arith.muli %a32, %b32 : i32
      %t = arith.addi %acc, %p : i32
      loop.yield %t : i32
    }
    loop.store %s, %y[%n] : memref<1xi32>
  }
  return
}

func.func @main(%x: memref<2x32xi8>, %v: memref<32xi8>, %y: memref<2x2x5xi32> {mlc.output}, %z: memref<1xi32> {mlc.output}) {
  %w = loop.constant dense<15> : tensor<32x5xi8> to memref<32x5xi8>
  func.call @nibbles(%x, %w, %y) : (memref<2x32xi8>, memref<32x5xi8>, memref<2x2x5xi32>) -> ()
  %u = loop.constant dense<[[0], [1], [2], [3], [3], [2], [1], [0], [0], [1], [2], [3], [3], [2], [1], [1], [2], [1], [2], [3], [3], [2], [1], [0], [3], [1], [2], [3], [3], [2], [1], [1]]> : tensor<32x1xi8> to memref<32x1xi8>
  func.call @pairs_of_bits(%v, %u, %z) : (memref<32xi8>, memref<32x1xi8>, memref<1xi32>) -> ()
  return
}
