// RUN: mlc-opt %s --target=sapphirerapids-amx --apply-schedule --check-each | filecheck %s

// 20 words along k are two products of 10. The sums go through a buffer, and what follows reads them one by one.
// CHECK-LABEL: @product
// CHECK-NEXT: %[[SUMS:.*]] = memref.alloc() : memref<7x5xi32>
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0> : vector<7x5xi32>
// CHECK-NEXT: %[[C:.*]] = loop.for serial "k" %[[K:.*]] = 0 to 20 step 10 iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (vector<7x5xi32>) {
// CHECK-NEXT:   %[[X:.*]] = loop.load %x[0, %[[K]] * 4] rows 0 : memref<7x80xi8>, vector<7x40xi8>
// CHECK-NEXT:   %[[A:.*]] = vector.bitcast %[[X]] : vector<7x40xi8> to vector<7x10xi32>
// CHECK-NEXT:   %[[B:.*]] = loop.load %w[%[[K]], 0] rows 0 : memref<20x5xi32>, vector<10x5xi32>
// CHECK-NEXT:   %[[SUM:.*]] = loop.mma %[[A]], %[[B]], %[[ACC]] of ui8, i8
// CHECK-NEXT:   loop.yield %[[SUM]]
// CHECK-NEXT: }
// CHECK-NEXT: loop.store %[[C]], %[[SUMS]][0, 0] rows 0 : memref<7x5xi32>, vector<7x5xi32>
// CHECK-NEXT: loop.for parallel "m" %[[M:.*]] = 0 to 7 {
// CHECK-NEXT:   loop.for parallel "n" %[[N:.*]] = 0 to 5 {
// CHECK:          %[[S:.*]] = loop.load %[[SUMS]][%[[M]], %[[N]]]
// CHECK-NEXT:     %[[T:.*]] = loop.load %bias[%[[N]]]
// CHECK-NEXT:     %[[R:.*]] = arith.addi %[[S]], %[[T]]
// CHECK-NEXT:     loop.store %[[R]], %y[%[[M]], %[[N]]]
func.func private @product(%x: memref<7x80xi8>, %w: memref<20x5xi32>, %bias: memref<5xi32>, %y: memref<7x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 0 to 7 {
    loop.for parallel "n" %n = 0 to 5 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 0 to 20 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 4] : memref<7x80xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<20x5xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.yield %t : i32
      }
      %bn = loop.load %bias[%n] : memref<5xi32>
      %r = arith.addi %s, %bn : i32
      loop.store %r, %y[%m, %n] : memref<7x5xi32>
    }
  }
  return
}

// A window: rows two apart, and a loop around the innermost one. Loops may start elsewhere than at 0.
// CHECK-LABEL: @window
// CHECK:      loop.for serial "kx" %[[KX:.*]] = 0 to 3 iter_args
// CHECK-NEXT:   loop.load %x[%[[KX]] + 2, 0] rows 0 row_stride 2 : memref<13x8xi8>, vector<4x8xi8>
// CHECK:        loop.load %w[%[[KX]], 0, 3] rows 1 : memref<3x2x8xi32>, vector<2x5xi32>
// CHECK:      loop.load %sums[%{{.*}} - 1, %{{.*}} - 3]
func.func private @window(%x: memref<13x8xi8>, %w: memref<3x2x8xi32>, %y: memref<6x8xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 1 to 5 {
    loop.for parallel "n" %n = 3 to 8 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "kx" %kx = 0 to 3 iter_args(%outer = %zero) -> (i32) {
        %i = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %outer) -> (i32) {
          %a = loop.load %x[%m * 2 + %kx, %k * 4] : memref<13x8xi8>, vector<4xi8>
          %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
          %u = vector.extract %v[0] : i32 from vector<1xi32>
          %b = loop.load %w[%kx, %k, %n] : memref<3x2x8xi32>
          %t = loop.dot %u, %b, %acc of i8, i8 : i32, i32
          loop.yield %t : i32
        }
        loop.yield %i : i32
      }
      loop.store %s, %y[%m, %n] : memref<6x8xi32>
    }
  }
  return
}

// Loops around are jammed: operands are loaded once, and sums have a register each.
// CHECK-LABEL: @jammed
// CHECK:      loop.for serial "k" %{{.*}} = 0 to 32 step 16 iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}) -> (vector<4x8xf32>, vector<4x8xf32>) {
// CHECK-COUNT-3: rows
// CHECK-NOT:  rows
// CHECK:      loop.mma %{{.*}}, %{{.*}}, %[[P]] of bf16, bf16 : vector<4x16xi32>, vector<16x8xi32>, vector<4x8xf32>
// CHECK-NEXT: loop.mma %{{.*}}, %{{.*}}, %[[Q]] of bf16, bf16
func.func private @jammed(%x: memref<8x64xbf16>, %w: memref<32x8xi32>, %y: memref<8x8xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(m, 4), mma(mi, n, k), unroll(m), vectorize(n, 8)]>} {
  loop.for parallel "m" %m = 0 to 8 {
    loop.for parallel "n" %n = 0 to 8 {
      %zero = arith.constant 0.0 : f32
      %s = loop.for serial "k" %k = 0 to 32 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %x[%m, %k * 2] : memref<8x64xbf16>, vector<2xbf16>
        %v = vector.bitcast %a : vector<2xbf16> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<32x8xi32>
        %t = loop.dot %u, %b, %acc of bf16, bf16 : i32, f32
        loop.yield %t : f32
      }
      loop.store %s, %y[%m, %n] : memref<8x8xf32>
    }
  }
  return
}
