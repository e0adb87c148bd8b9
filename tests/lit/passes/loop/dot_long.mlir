// RUN: mlc-opt %s --apply-schedule --check-each --target=znver4 | filecheck %s

// The constant is stored in words of 64 bits: eight rows of bytes in each, or four of halves.

// CHECK-LABEL: @bytes(%x: memref<3x16xi8>, %w: memref<2x5xi64>, %y: memref<3x5xi32>
// CHECK:             loop.for serial "k" %[[K:.*]] = 0 to 2 iter_args(%[[ACC:.*]] = %zero)
// CHECK-NEXT:          %[[WORD:.*]] = loop.load %w[%[[K]], %n] : memref<2x5xi64>
// CHECK-NEXT:          %[[EIGHT:.*]] = loop.load %x[%m, %[[K]] * 8] : memref<3x16xi8>, vector<8xi8>
// CHECK-NEXT:          %[[CAST:.*]] = vector.bitcast %[[EIGHT]] : vector<8xi8> to vector<1xi64>
// CHECK-NEXT:          %[[ROW:.*]] = vector.extract %[[CAST]][0] : i64 from vector<1xi64>
// CHECK-NEXT:          %[[DOT:.*]] = loop.dot %[[ROW]], %[[WORD]], %[[ACC]] of ui8, i8 : i64, i32
// CHECK-NEXT:          loop.yield %[[DOT]] : i32
func.func private @bytes(%x: memref<3x16xi8>, %w: memref<16x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 8, 64)]>} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k] : memref<3x16xi8>
        %b = loop.load %w[%k, %n] : memref<16x5xi8>
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

// CHECK-LABEL: @halves(%x: memref<3x16xbf16>, %w: memref<1x4x5xi64>, %y: memref<3x5xf32>
// CHECK-COUNT-4: loop.dot {{.*}} of bf16, bf16 : vector<8xi64>, vector<8xf32>
// CHECK-NOT:     loop.dot
func.func private @halves(%x: memref<3x16xbf16>, %w: memref<16x5xbf16>, %y: memref<3x5xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4, 64), interchange(n, m), tile(n, 8), pack(w, n), vectorize(ni, 8), unroll(k)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %x[%m, %k] : memref<3x16xbf16>
        %b = loop.load %w[%k, %n] : memref<16x5xbf16>
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

// Words of 32 bits may be asked for, too.

// CHECK-LABEL: @said(%x: memref<3x16xi8>, %w: memref<4x5xi32>,
func.func private @said(%x: memref<3x16xi8>, %w: memref<16x5xi8>, %y: memref<3x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[dot(k, 4, 32)]>} {
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

func.func @main(%x0: memref<3x16xi8>, %y0: memref<3x5xi32> {mlc.output}, %x1: memref<3x16xbf16>, %y1: memref<3x5xf32> {mlc.output}, %x2: memref<3x16xi8>, %y2: memref<3x5xi32> {mlc.output}) {
  %w0 = loop.constant dense<[[-6, -5, -4, -3, -2], [1, 2, 3, 4, 5], [-5, -4, -3, -2, -1], [2, 3, 4, 5, 6], [-4, -3, -2, -1, 0], [3, 4, 5, 6, -6], [-3, -2, -1, 0, 1], [4, 5, 6, -6, -5], [-2, -1, 0, 1, 2], [5, 6, -6, -5, -4], [-1, 0, 1, 2, 3], [6, -6, -5, -4, -3], [0, 1, 2, 3, 4], [-6, -5, -4, -3, -2], [1, 2, 3, 4, 5], [-5, -4, -3, -2, -1]]> : tensor<16x5xi8> to memref<16x5xi8>
  func.call @bytes(%x0, %w0, %y0) : (memref<3x16xi8>, memref<16x5xi8>, memref<3x5xi32>) -> ()
  %w1 = loop.constant dense<1.5> : tensor<16x5xbf16> to memref<16x5xbf16>
  func.call @halves(%x1, %w1, %y1) : (memref<3x16xbf16>, memref<16x5xbf16>, memref<3x5xf32>) -> ()
  %w2 = loop.constant dense<[[-6, -5, -4, -3, -2], [1, 2, 3, 4, 5], [-5, -4, -3, -2, -1], [2, 3, 4, 5, 6], [-4, -3, -2, -1, 0], [3, 4, 5, 6, -6], [-3, -2, -1, 0, 1], [4, 5, 6, -6, -5], [-2, -1, 0, 1, 2], [5, 6, -6, -5, -4], [-1, 0, 1, 2, 3], [6, -6, -5, -4, -3], [0, 1, 2, 3, 4], [-6, -5, -4, -3, -2], [1, 2, 3, 4, 5], [-5, -4, -3, -2, -1]]> : tensor<16x5xi8> to memref<16x5xi8>
  func.call @said(%x2, %w2, %y2) : (memref<3x16xi8>, memref<16x5xi8>, memref<3x5xi32>) -> ()
  return
}
