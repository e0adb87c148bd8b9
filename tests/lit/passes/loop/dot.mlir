// RUN: mlc-opt %s --apply-schedule --check-each --target=znver4 | filecheck %s

// Rows are read in words where they lie; the constant is stored in words of four rows.

// CHECK-LABEL: @product(%x: memref<3x12xi8>, %w: memref<3x5xi32>, %y: memref<3x5xi32>
// CHECK:             loop.for serial "k" %[[K:.*]] = 0 to 3 iter_args(%[[ACC:.*]] = %zero)
// CHECK-NEXT:          %[[WORD:.*]] = loop.load %w[%[[K]], %n] : memref<3x5xi32>
// CHECK-NEXT:          %[[FOUR:.*]] = loop.load %x[%m, %[[K]] * 4] : memref<3x12xi8>, vector<4xi8>
// CHECK-NEXT:          %[[CAST:.*]] = vector.bitcast %[[FOUR]] : vector<4xi8> to vector<1xi32>
// CHECK-NEXT:          %[[ROW:.*]] = vector.extract %[[CAST]][0] : i32 from vector<1xi32>
// CHECK-NEXT:          %[[DOT:.*]] = loop.dot %[[ROW]], %[[WORD]], %[[ACC]] of ui8, i8 : i32, i32
// CHECK-NEXT:          loop.yield %[[DOT]] : i32
func.func private @product(%x: memref<3x12xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi32> {mlc.output})
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

// Words are packed, vectorised and unrolled as other numbers are.

// CHECK-LABEL: @panels(%x: memref<3x12xi8>, %w: memref<1x3x5xi32>, %y: memref<3x5xi32>
// CHECK-COUNT-3: loop.dot {{.*}} of ui8, i8 : vector<8xi32>, vector<8xi32>
// CHECK-NOT:     loop.dot
func.func private @panels(%x: memref<3x12xi8>, %w: memref<12x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4), interchange(n, m), tile(n, 8), pack(w, n), vectorize(ni, 8), unroll(k)]>} {
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

// Pairs of bf16 are added in f32.

// CHECK-LABEL: @pairs(%x: memref<3x12xbf16>, %w: memref<6x5xi32>
// CHECK:         loop.for serial "k" %[[K:.*]] = 0 to 6 iter_args
// CHECK:           loop.load %x[%m, %[[K]] * 2] : memref<3x12xbf16>, vector<2xbf16>
// CHECK:           loop.dot {{.*}} of bf16, bf16 : i32, f32
func.func private @pairs(%x: memref<3x12xbf16>, %w: memref<12x5xbf16>, %y: memref<3x5xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 2)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 12 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %x[%m, %k] : memref<3x12xbf16>
        %b = loop.load %w[%k, %n] : memref<12x5xbf16>
        %a32 = arith.extf %a : bf16 to f32
        %b32 = arith.extf %b : bf16 to f32
        %t = math.fma %a32, %b32, %acc : f32
        loop.yield %t : f32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xf32>
    }
  }
  return
}

// The argument may come first, and the sum second; rows of a convolution are read at another row.

// CHECK-LABEL: @offset(%w: memref<5x2x2xi32>, %x: memref<3x4x8xi8>
// CHECK:         loop.for serial "k" %[[K:.*]] = 0 to 2 iter_args
// CHECK-NEXT:      loop.load %w[%n, %h, %[[K]]] : memref<5x2x2xi32>
// CHECK-NEXT:      loop.load %x[%m, %h + 1, %[[K]] * 4] : memref<3x4x8xi8>, vector<4xi8>
// CHECK:           loop.dot {{.*}} of i8, ui8 : i32, i32
func.func private @offset(%w: memref<5x2x8xi8>, %x: memref<3x4x8xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "h" %h = 0 to 2 iter_args(%outer = %zero) -> (i32) {
        %r = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %outer) -> (i32) {
          %b = loop.load %w[%n, %h, %k] : memref<5x2x8xi8>
          %a = loop.load %x[%m, %h + 1, %k] : memref<3x4x8xi8>
          %a32 = arith.extsi %a : i8 to i32
          %b32 = arith.extui %b : i8 to i32
          %p = arith.muli %b32, %a32 : i32
          %t = arith.addi %p, %acc : i32
          loop.yield %t : i32
        }
        loop.yield %r : i32
      }
      loop.store %s, %y[%m, %n] : memref<3x5xi32>
    }
  }
  return
}

// Two kernels that want the same words have one constant; that of other numbers is another one, whatever its name was
// when it was packed.

// CHECK-LABEL: @main
// CHECK:         %[[W:.*]] = loop.constant dense_resource<constant.words4> : tensor<3x5xi32>
// CHECK-NEXT:    call @product(%x, %[[W]], %y)
// CHECK:         %[[P:.*]] = loop.constant dense_resource<constant.words4.panels5> : tensor<1x3x5xi32>
// CHECK-NEXT:    call @panels(%x, %[[P]], %y)
// CHECK:         loop.constant dense_resource<constant.words2> : tensor<6x5xi32>
// CHECK:         loop.constant dense_resource<constant.words4.1> : tensor<5x2x2xi32>
// CHECK:       constant.words4: "0x0400000000050A0F01060B10{{[0-9A-F]*}}FFFA8001
// CHECK:       constant.words4.panels5: "0x0400000000050A0F01060B10
func.func @main(%x: memref<3x12xi8>, %h: memref<3x12xbf16>, %i: memref<3x4x8xi8>, %y: memref<3x5xi32> {mlc.output}, %z: memref<3x5xf32> {mlc.output}) {
  %w = loop.constant dense<[[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14], [15, 16, 17, 18, 19],
                            [20, 21, 22, 23, 24], [25, 26, 27, 28, 29], [30, 31, 32, 33, 34], [35, 36, 37, 38, 39],
                            [-1, -2, -3, -4, -5], [-6, -7, -8, -9, -10], [-128, 127, -128, 127, 0], [1, 1, 1, 1, 1]]> : tensor<12x5xi8> to memref<12x5xi8>
  func.call @product(%x, %w, %y) : (memref<3x12xi8>, memref<12x5xi8>, memref<3x5xi32>) -> ()
  func.call @panels(%x, %w, %y) : (memref<3x12xi8>, memref<12x5xi8>, memref<3x5xi32>) -> ()
  %u = loop.constant dense<1.5> : tensor<12x5xbf16> to memref<12x5xbf16>
  func.call @pairs(%h, %u, %z) : (memref<3x12xbf16>, memref<12x5xbf16>, memref<3x5xf32>) -> ()
  %v = loop.constant dense<-1> : tensor<5x2x8xi8> to memref<5x2x8xi8>
  func.call @offset(%v, %i, %y) : (memref<5x2x8xi8>, memref<3x4x8xi8>, memref<3x5xi32>) -> ()
  return
}
