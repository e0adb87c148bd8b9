// RUN: mlc-opt %s --pair-rows --target=neoverse-v1 --check-each | filecheck %s --check-prefixes=CHECK,PAIRS
// RUN: mlc-opt %s --pair-rows --target=neoverse-n1 | filecheck %s --check-prefixes=CHECK,SAME
// RUN: mlc-opt %s --pair-rows --target=sapphirerapids | filecheck %s --check-prefixes=CHECK,SAME

// Targets without such instructions keep all as it is.
// SAME-NOT: loop.outer_dot

// Both loops carry the sums of two rows together, which are taken apart behind the outer one. Zeros are zeros in any
// order.
// CHECK-LABEL: @product
// PAIRS-NOT:   vector.shuffle
// PAIRS:       %[[S:.*]], %[[T:.*]] = loop.for serial "j" %{{.*}} = 0 to 2 iter_args(%[[P:.*]] = %zero, %[[Q:.*]] = %zero)
// PAIRS-NEXT:    %[[U:.*]], %[[V:.*]] = loop.for serial "k" %k = 0 to 3 iter_args(%[[M:.*]] = %[[P]], %[[N:.*]] = %[[Q]])
// PAIRS:           %[[ROWS:.*]] = vector.shuffle %b, %e [0, 1] : vector<1xi64>, vector<1xi64>
// PAIRS:           %w0 = loop.load
// PAIRS-NEXT:      %[[RIGHT:.*]] = vector.shuffle %w0, %w0 [2, 3] : vector<4xi64>, vector<4xi64>
// PAIRS-NEXT:      %[[LEFT:.*]] = vector.shuffle %w0, %w0 [0, 1] : vector<4xi64>, vector<4xi64>
// PAIRS-NOT:       loop.dot
// PAIRS:           %[[A:.*]] = loop.outer_dot %[[ROWS]], %[[LEFT]], %[[M]] of ui8, i8 : vector<2xi64>, vector<2xi64>, vector<4xi32>
// PAIRS-NEXT:      %[[B:.*]] = loop.outer_dot %[[ROWS]], %[[RIGHT]], %[[N]] of ui8, i8
// PAIRS-NEXT:      loop.yield %[[A]], %[[B]]
// PAIRS:         loop.yield %[[U]], %[[V]]
// PAIRS:       %[[FIRST:.*]] = vector.shuffle %[[S]], %[[T]] [0, 1, 4, 5]
// PAIRS-NEXT:  %[[SECOND:.*]] = vector.shuffle %[[S]], %[[T]] [2, 3, 6, 7]
// PAIRS-NEXT:  loop.store %[[FIRST]], %y[0, 0]
// PAIRS-NEXT:  loop.store %[[SECOND]], %y[1, 0]
func.func private @product(%x: memref<2x48xui8>, %w: memref<6x4xi64>, %y: memref<2x4xi32> {mlc.output}) {
  %zero = arith.constant dense<0> : vector<4xi32>
  %s, %t = loop.for serial "j" %j = 0 to 2 iter_args(%p = %zero, %q = %zero) -> (vector<4xi32>, vector<4xi32>) {
    %u, %v = loop.for serial "k" %k = 0 to 3 iter_args(%m = %p, %n = %q) -> (vector<4xi32>, vector<4xi32>) {
      %a = loop.load %x[0, %j * 24 + %k * 8] : memref<2x48xui8>, vector<8xui8>
      %b = vector.bitcast %a : vector<8xui8> to vector<1xi64>
      %c = vector.extract %b[0] : i64 from vector<1xi64>
      %c4 = vector.broadcast %c : i64 to vector<4xi64>
      %d = loop.load %x[1, %j * 24 + %k * 8] : memref<2x48xui8>, vector<8xui8>
      %e = vector.bitcast %d : vector<8xui8> to vector<1xi64>
      %f = vector.extract %e[0] : i64 from vector<1xi64>
      %f4 = vector.broadcast %f : i64 to vector<4xi64>
      %w0 = loop.load %w[%j * 3 + %k, 0] : memref<6x4xi64>, vector<4xi64>
      %g = loop.dot %c4, %w0, %m of ui8, i8 : vector<4xi64>, vector<4xi32>
      %h = loop.dot %f4, %w0, %n of ui8, i8 : vector<4xi64>, vector<4xi32>
      loop.yield %g, %h : vector<4xi32>, vector<4xi32>
    }
    loop.yield %u, %v : vector<4xi32>, vector<4xi32>
  }
  loop.store %s, %y[0, 0] : memref<2x4xi32>, vector<4xi32>
  loop.store %t, %y[1, 0] : memref<2x4xi32>, vector<4xi32>
  return
}

// What the second loop starts with is what the first one ends with: nothing is taken apart between them. Other sums
// than zeros are put together in front of the first one.
// CHECK-LABEL: @one_after_the_other
// PAIRS:       %[[P:.*]] = vector.shuffle %s0, %s1 [0, 1, 4, 5]
// PAIRS-NEXT:  %[[Q:.*]] = vector.shuffle %s0, %s1 [2, 3, 6, 7]
// PAIRS-NEXT:  %[[A:.*]], %[[B:.*]] = loop.for serial "k" %k = 0 to 2 iter_args(%{{.*}} = %[[P]], %{{.*}} = %[[Q]])
// PAIRS:       loop.yield
// PAIRS-NEXT:  }
// PAIRS-NEXT:  %{{.*}} = loop.for serial "k" %{{.*}} = 2 to 4 iter_args(%{{.*}} = %[[A]], %{{.*}} = %[[B]])
// PAIRS-COUNT-2: loop.outer_dot
// PAIRS:       vector.shuffle %{{.*}} [0, 1, 4, 5]
// PAIRS-NEXT:  vector.shuffle %{{.*}} [2, 3, 6, 7]
// PAIRS-NOT:   vector.shuffle
// PAIRS:       return
func.func private @one_after_the_other(%x: memref<4x2xi64>, %w: memref<4x4xi64>, %z: memref<2x4xi32>, %y: memref<2x4xi32> {mlc.output}) {
  %s0 = loop.load %z[0, 0] : memref<2x4xi32>, vector<4xi32>
  %s1 = loop.load %z[1, 0] : memref<2x4xi32>, vector<4xi32>
  %s, %t = loop.for serial "k" %k = 0 to 2 iter_args(%m = %s0, %n = %s1) -> (vector<4xi32>, vector<4xi32>) {
    %b = loop.load %x[%k, 0] : memref<4x2xi64>, vector<2xi64>
    %c = vector.shuffle %b, %b [0, 0, 0, 0] : vector<2xi64>, vector<2xi64>
    %d = vector.shuffle %b, %b [1, 1, 1, 1] : vector<2xi64>, vector<2xi64>
    %w0 = loop.load %w[%k, 0] : memref<4x4xi64>, vector<4xi64>
    %g = loop.dot %w0, %c, %m of i8, i8 : vector<4xi64>, vector<4xi32>
    %h = loop.dot %w0, %d, %n of i8, i8 : vector<4xi64>, vector<4xi32>
    loop.yield %g, %h : vector<4xi32>, vector<4xi32>
  }
  %u, %v = loop.for serial "k" %k = 2 to 4 iter_args(%m = %s, %n = %t) -> (vector<4xi32>, vector<4xi32>) {
    %b = loop.load %x[%k, 0] : memref<4x2xi64>, vector<2xi64>
    %c = vector.shuffle %b, %b [0, 0, 0, 0] : vector<2xi64>, vector<2xi64>
    %d = vector.shuffle %b, %b [1, 1, 1, 1] : vector<2xi64>, vector<2xi64>
    %w0 = loop.load %w[%k, 0] : memref<4x4xi64>, vector<4xi64>
    %g = loop.dot %w0, %c, %m of i8, i8 : vector<4xi64>, vector<4xi32>
    %h = loop.dot %w0, %d, %n of i8, i8 : vector<4xi64>, vector<4xi32>
    loop.yield %g, %h : vector<4xi32>, vector<4xi32>
  }
  loop.store %u, %y[0, 0] : memref<2x4xi32>, vector<4xi32>
  loop.store %v, %y[1, 0] : memref<2x4xi32>, vector<4xi32>
  return
}

// Of three rows one stays alone. Words of both rows lie side by side in one register; two steps follow each other.
// CHECK-LABEL: @three_rows
// PAIRS:       vector.shuffle %a, %b [1, 3] : vector<2xi64>, vector<2xi64>
// PAIRS:       vector.shuffle %a, %b [0, 2] : vector<2xi64>, vector<2xi64>
// PAIRS-COUNT-2: loop.outer_dot
// PAIRS:       loop.dot %c0, %w0, %zero of i8, i8 : vector<4xi64>, vector<4xi32>
// PAIRS-COUNT-2: loop.outer_dot
// PAIRS:       loop.dot %c1, %w1, %{{.*}} of i8, i8 : vector<4xi64>, vector<4xi32>
func.func private @three_rows(%x: memref<3x2xi64>, %w: memref<2x4xi64>, %y: memref<3x4xi32> {mlc.output}) {
  %zero = arith.constant dense<0> : vector<4xi32>
  %a = loop.load %x[0, 0] : memref<3x2xi64>, vector<2xi64>
  %c = loop.load %x[2, 0] : memref<3x2xi64>, vector<2xi64>
  %w0 = loop.load %w[0, 0] : memref<2x4xi64>, vector<4xi64>
  %w1 = loop.load %w[1, 0] : memref<2x4xi64>, vector<4xi64>
  %a0 = vector.shuffle %a, %a [0, 0, 0, 0] : vector<2xi64>, vector<2xi64>
  %a1 = vector.shuffle %a, %a [1, 1, 1, 1] : vector<2xi64>, vector<2xi64>
  %c0 = vector.shuffle %c, %c [0, 0, 0, 0] : vector<2xi64>, vector<2xi64>
  %c1 = vector.shuffle %c, %c [1, 1, 1, 1] : vector<2xi64>, vector<2xi64>
  %d = loop.dot %a0, %w0, %zero of i8, i8 : vector<4xi64>, vector<4xi32>
  %b = loop.load %x[1, 0] : memref<3x2xi64>, vector<2xi64>
  %b0 = vector.shuffle %b, %b [0, 0, 0, 0] : vector<2xi64>, vector<2xi64>
  %b1 = vector.shuffle %b, %b [1, 1, 1, 1] : vector<2xi64>, vector<2xi64>
  %e = loop.dot %b0, %w0, %zero of i8, i8 : vector<4xi64>, vector<4xi32>
  %f = loop.dot %c0, %w0, %zero of i8, i8 : vector<4xi64>, vector<4xi32>
  %g = loop.dot %a1, %w1, %d of i8, i8 : vector<4xi64>, vector<4xi32>
  %h = loop.dot %b1, %w1, %e of i8, i8 : vector<4xi64>, vector<4xi32>
  %i = loop.dot %c1, %w1, %f of i8, i8 : vector<4xi64>, vector<4xi32>
  loop.store %g, %y[0, 0] : memref<3x4xi32>, vector<4xi32>
  loop.store %h, %y[1, 0] : memref<3x4xi32>, vector<4xi32>
  loop.store %i, %y[2, 0] : memref<3x4xi32>, vector<4xi32>
  return
}

// The instruction for two signs takes the one without sign first: here the columns, so sums lie column by column.
// CHECK-LABEL: @columns_first
// PAIRS:       %[[ROWS:.*]] = vector.shuffle %a, %a [0, 3] : vector<2xi64>, vector<2xi64>
// PAIRS:       %[[A:.*]] = loop.outer_dot %{{.*}}, %[[ROWS]], %zero of ui8, i8
// PAIRS-NEXT:  %[[B:.*]] = loop.outer_dot %{{.*}}, %[[ROWS]], %zero of ui8, i8
// PAIRS-NEXT:  vector.shuffle %[[A]], %[[B]] [0, 2, 4, 6]
// PAIRS-NEXT:  vector.shuffle %[[A]], %[[B]] [1, 3, 5, 7]
func.func private @columns_first(%x: memref<2xi64>, %w: memref<4xi64>, %y: memref<2x4xi32> {mlc.output}) {
  %zero = arith.constant dense<0> : vector<4xi32>
  %a = loop.load %x[0] : memref<2xi64>, vector<2xi64>
  %w0 = loop.load %w[0] : memref<4xi64>, vector<4xi64>
  %a0 = vector.shuffle %a, %a [0, 0, 0, 0] : vector<2xi64>, vector<2xi64>
  %a1 = vector.shuffle %a, %a [1, 1, 1, 1] : vector<2xi64>, vector<2xi64>
  %d = loop.dot %a0, %w0, %zero of i8, ui8 : vector<4xi64>, vector<4xi32>
  %e = loop.dot %w0, %a1, %zero of ui8, i8 : vector<4xi64>, vector<4xi32>
  loop.store %d, %y[0, 0] : memref<2x4xi32>, vector<4xi32>
  loop.store %e, %y[1, 0] : memref<2x4xi32>, vector<4xi32>
  return
}

// Kept: numbers of other types, words of 32 bits, other columns, words that are not the same in all lanes, sums that
// are read before the others are complete, and sums of which a loop hands on something else, or which it stores, too.
// CHECK-LABEL: @kept
// CHECK-NOT:   loop.outer_dot
// CHECK:       return
func.func private @kept(%x: memref<2xi64>, %w: memref<2x4xi64>, %v: memref<2x4xi32>, %y: memref<10x4xi32> {mlc.output}) {
  %zero = arith.constant dense<0> : vector<4xi32>
  %a = loop.load %x[0] : memref<2xi64>, vector<2xi64>
  %w0 = loop.load %w[0, 0] : memref<2x4xi64>, vector<4xi64>
  %w1 = loop.load %w[1, 0] : memref<2x4xi64>, vector<4xi64>
  %v0 = loop.load %v[0, 0] : memref<2x4xi32>, vector<4xi32>
  %a0 = vector.shuffle %a, %a [0, 0, 0, 0] : vector<2xi64>, vector<2xi64>
  %a1 = vector.shuffle %a, %a [1, 1, 1, 1] : vector<2xi64>, vector<2xi64>
  %b = vector.bitcast %a : vector<2xi64> to vector<4xi32>
  %b0 = vector.shuffle %b, %b [0, 0, 0, 0] : vector<4xi32>, vector<4xi32>
  %b1 = vector.shuffle %b, %b [1, 1, 1, 1] : vector<4xi32>, vector<4xi32>
  %c = loop.dot %a0, %w0, %zero of i16, i16 : vector<4xi64>, vector<4xi32>
  %d = loop.dot %a1, %w0, %zero of i16, i16 : vector<4xi64>, vector<4xi32>
  %e = loop.dot %b0, %v0, %zero of i8, i8 : vector<4xi32>, vector<4xi32>
  %f = loop.dot %b1, %v0, %zero of i8, i8 : vector<4xi32>, vector<4xi32>
  %g = loop.dot %a0, %w0, %zero of i8, i8 : vector<4xi64>, vector<4xi32>
  %h = loop.dot %a1, %w1, %zero of i8, i8 : vector<4xi64>, vector<4xi32>
  loop.store %c, %y[0, 0] : memref<10x4xi32>, vector<4xi32>
  loop.store %d, %y[1, 0] : memref<10x4xi32>, vector<4xi32>
  loop.store %e, %y[2, 0] : memref<10x4xi32>, vector<4xi32>
  loop.store %f, %y[3, 0] : memref<10x4xi32>, vector<4xi32>
  loop.store %g, %y[4, 0] : memref<10x4xi32>, vector<4xi32>
  loop.store %h, %y[5, 0] : memref<10x4xi32>, vector<4xi32>
  %i = loop.dot %a0, %w0, %zero of ui8, ui8 : vector<4xi64>, vector<4xi32>
  loop.store %i, %y[6, 0] : memref<10x4xi32>, vector<4xi32>
  %j = loop.dot %a1, %w0, %zero of ui8, ui8 : vector<4xi64>, vector<4xi32>
  loop.store %j, %y[7, 0] : memref<10x4xi32>, vector<4xi32>
  %s, %t = loop.for serial "k" %k = 0 to 3 iter_args(%m = %zero, %n = %zero) -> (vector<4xi32>, vector<4xi32>) {
    %o = loop.dot %a0, %w0, %m of i8, i8 : vector<4xi64>, vector<4xi32>
    %p = loop.dot %a1, %w0, %n of i8, i8 : vector<4xi64>, vector<4xi32>
    %q = arith.addi %p, %v0 : vector<4xi32>
    loop.yield %o, %q : vector<4xi32>, vector<4xi32>
  }
  loop.store %s, %y[8, 0] : memref<10x4xi32>, vector<4xi32>
  loop.store %t, %y[9, 0] : memref<10x4xi32>, vector<4xi32>
  %two = vector.shuffle %a, %a [0, 1, 0, 1] : vector<2xi64>, vector<2xi64>
  %others = vector.shuffle %a, %a [1, 0, 1, 0] : vector<2xi64>, vector<2xi64>
  %f0 = loop.dot %two, %w1, %zero of ui8, ui8 : vector<4xi64>, vector<4xi32>
  %f1 = loop.dot %others, %w1, %zero of ui8, ui8 : vector<4xi64>, vector<4xi32>
  loop.store %f0, %y[8, 0] : memref<10x4xi32>, vector<4xi32>
  loop.store %f1, %y[9, 0] : memref<10x4xi32>, vector<4xi32>
  %u0, %u1 = loop.for serial "k" %k = 0 to 3 iter_args(%m = %zero, %n = %zero) -> (vector<4xi32>, vector<4xi32>) {
    %o = loop.dot %a0, %w0, %m of i8, i8 : vector<4xi64>, vector<4xi32>
    %p = loop.dot %a1, %w0, %n of i8, i8 : vector<4xi64>, vector<4xi32>
    loop.store %o, %y[0, 0] : memref<10x4xi32>, vector<4xi32>
    loop.yield %o, %p : vector<4xi32>, vector<4xi32>
  }
  loop.store %u0, %y[1, 0] : memref<10x4xi32>, vector<4xi32>
  loop.store %u1, %y[2, 0] : memref<10x4xi32>, vector<4xi32>
  return
}
