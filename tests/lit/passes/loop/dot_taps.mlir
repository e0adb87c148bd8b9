// RUN: mlc-opt %s --apply-schedule --check-each | filecheck %s

// Two results beside each other read one word: of four pixels, which meets a word of weights for each of them.

// CHECK-LABEL: @window(%x: memref<7x5xi8>, %w: memref<2x5xi32>, %y: memref<5x5xi32>
// CHECK:         loop.for parallel "m" %m = 0 to 4 step 2 {
// CHECK:             %[[A:.*]] = loop.load %x[%m, %n] : memref<7x5xi8>
// CHECK-NEXT:        %[[B:.*]] = loop.load %x[%m + 1, %n] : memref<7x5xi8>
// CHECK-NEXT:        %[[C:.*]] = loop.load %x[%m + 2, %n] : memref<7x5xi8>
// CHECK-NEXT:        %[[D:.*]] = loop.load %x[%m + 3, %n] : memref<7x5xi8>
// CHECK-NEXT:        %[[WORD:.*]] = loop.word %[[A]], %[[B]], %[[C]], %[[D]] : i8, i8, i8, i8 -> i32
// CHECK-NEXT:        %[[FIRST:.*]] = loop.load %w[0, %n] : memref<2x5xi32>
// CHECK-NEXT:        %[[S:.*]] = loop.dot %[[WORD]], %[[FIRST]], %{{.*}} of ui8, i8 : i32, i32
// CHECK-NEXT:        %[[SECOND:.*]] = loop.load %w[1, %n] : memref<2x5xi32>
// CHECK-NEXT:        %[[T:.*]] = loop.dot %[[WORD]], %[[SECOND]], %{{.*}} of ui8, i8 : i32, i32
// CHECK-NEXT:        loop.store %[[S]], %y[%m, %n]
// CHECK-NEXT:        loop.store %[[T]], %y[%m + 1, %n]
// The row that is left has a word with a zero, and the weights of the first one.
// CHECK:             %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK-NEXT:        loop.word %{{.*}}, %{{.*}}, %{{.*}}, %[[ZERO]] : i8, i8, i8, i8 -> i32
// CHECK-NEXT:        loop.load %w[0, 
// CHECK-NOT:     arith.muli
func.func private @window(%x: memref<7x5xi8>, %w: memref<3x5xi8>, %y: memref<5x5xi32> {mlc.output})
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

// Lanes are words.

// CHECK-LABEL: @lanes
// CHECK:         loop.word {{.*}} : vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8> -> vector<8xi32>
// CHECK-COUNT-2: loop.dot {{.*}} of ui8, i8 : vector<8xi32>, vector<8xi32>
func.func private @lanes(%x: memref<7x5xi8>, %w: memref<3x5xi8>, %y: memref<5x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(m, 2), unroll(mi), unroll(k), dot_taps(n, 4), vectorize(n, 8)]>} {
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

// Words of two are of i16, and so are the weights in them.

// CHECK-LABEL: @pairs
// CHECK:         %[[P:.*]] = arith.extui %{{.*}} : i8 to i16
// CHECK:         %[[Q:.*]] = arith.extui %{{.*}} : i8 to i16
// CHECK-NEXT:    loop.word %[[P]], %[[Q]] : i16, i16 -> i32
// CHECK:         loop.dot {{.*}} of i16, i16 : i32, i32
func.func private @pairs(%x: memref<7x5xi8>, %w: memref<3x5xi8>, %y: memref<5x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(m, 2), unroll(mi), unroll(k), dot_taps(n, 2)]>} {
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

// What is added to the products is where sums begin.

// CHECK-LABEL: @begins
// CHECK:         %[[BEGIN:.*]] = arith.constant 1000 : i32
// CHECK:         loop.dot %{{.*}}, %{{.*}}, %[[BEGIN]] of ui8, i8
// CHECK-NOT:     arith.addi
// CHECK:         return
func.func private @begins(%x: memref<7x5xi8>, %w: memref<3x5xi8>, %y: memref<5x5xi32> {mlc.output})
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
      %begin = arith.constant 1000 : i32
      %s1 = arith.addi %s0, %begin : i32
      loop.store %s1, %y[%m, %n] : memref<5x5xi32>
    }
  }
  return
}

func.func @main(%x: memref<7x5xi8> {mlc.unsigned}, %y: memref<5x5xi32> {mlc.output}) {
  %w = loop.constant dense<[[1, 2, 3, 4, 5], [6, -7, 8, -9, 10], [-128, 127, 13, 14, 15]]> : tensor<3x5xi8> to memref<3x5xi8>
  func.call @window(%x, %w, %y) : (memref<7x5xi8>, memref<3x5xi8>, memref<5x5xi32>) -> ()
  func.call @lanes(%x, %w, %y) : (memref<7x5xi8>, memref<3x5xi8>, memref<5x5xi32>) -> ()
  func.call @pairs(%x, %w, %y) : (memref<7x5xi8>, memref<3x5xi8>, memref<5x5xi32>) -> ()
  func.call @begins(%x, %w, %y) : (memref<7x5xi8>, memref<3x5xi8>, memref<5x5xi32>) -> ()
  return
}

// The words of the weights: those of the first result end with 0, those of the second one begin with it.
// CHECK:         constant.taps: "0x0400000001068000{{[0-9A-F]+}}00010680
// CHECK:         constant.taps.1: "0x04000000010006000200F9FF
