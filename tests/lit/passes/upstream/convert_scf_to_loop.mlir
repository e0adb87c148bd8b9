// RUN: mlc-opt %s --convert-scf-to-loop | filecheck %s

// Bounds that are constants make loops of the loop level; sums of counters are subscripts.
// CHECK-LABEL: @rows(
// CHECK:         loop.for parallel "m" %m = 0 to 6 {
// CHECK-NEXT:      %s = loop.for serial "k" %k = 0 to 8 step 2 iter_args(%acc = %z) -> (f32) {
// CHECK-NEXT:        %a = loop.load %x[%m, %k + 1] : memref<6x9xf32>
// CHECK-NEXT:        %n = arith.addf %acc, %a : f32
// CHECK-NEXT:        loop.yield %n : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      loop.store %s, %y[%m] : memref<6xf32>
// CHECK-NEXT:    }
func.func @rows(%x: memref<6x9xf32>, %y: memref<6xf32> {mlc.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  scf.parallel (%m) = (%c0) to (%c6) step (%c1) {
    %s = scf.for %k = %c0 to %c8 step %c2 iter_args(%acc = %z) -> (f32) {
      %i = affine.apply affine_map<(d0) -> (d0 + 1)>(%k)
      %a = memref.load %x[%m, %i] : memref<6x9xf32>
      %n = arith.addf %acc, %a : f32
      scf.yield %n : f32
    }
    memref.store %s, %y[%m] : memref<6xf32>
    scf.reduce
  }
  return
}

// Two counters are two loops; a reduction makes them serial, and carries what it has so far.
// CHECK-LABEL: @reduced(
// CHECK:         %sum = loop.for serial "i" %i = 0 to 2 iter_args(%{{.*}} = %z) -> (f32) {
// CHECK-NEXT:      %{{.*}} = loop.for serial "j" %j = 0 to 3 iter_args(%[[SO_FAR:.*]] = %{{.*}}) -> (f32) {
// CHECK-NEXT:        %a = loop.load %x[%i, %j] : memref<2x3xf32>
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addf %[[SO_FAR]], %a : f32
// CHECK-NEXT:        loop.yield %[[NEXT]] : f32
func.func @reduced(%x: memref<2x3xf32>, %y: memref<1xf32> {mlc.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %sum = scf.parallel (%i, %j) = (%c0, %c0) to (%c2, %c3) step (%c1, %c1) init (%z) -> f32 {
    %a = memref.load %x[%i, %j] : memref<2x3xf32>
    scf.reduce(%a : f32) {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      scf.reduce.return %0 : f32
    }
  }
  memref.store %sum, %y[%c0] : memref<1xf32>
  return
}

// Where a bound is a value, only the loop knows how often it runs.
// CHECK-LABEL: @row_of_a_sparse_matrix(
// CHECK:         %{{.*}}, %{{.*}} = scf.while (%[[I:.*]] = %first, %[[SO_FAR:.*]] = %z) : (index, f32) -> (index, f32) {
// CHECK-NEXT:      %[[LESS:.*]] = arith.cmpi slt, %[[I]], %last : index
// CHECK-NEXT:      scf.condition(%[[LESS]]) %[[I]], %[[SO_FAR]] : index, f32
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^{{.*}}(%k: index, %acc: f32):
// CHECK-NEXT:      %a = loop.load %x[%k] : memref<9xf32>
// CHECK-NEXT:      %n = arith.addf %acc, %a : f32
// CHECK-NEXT:      %[[UP:.*]] = arith.addi %k, %c1 : index
// CHECK-NEXT:      scf.yield %[[UP]], %n : index, f32
func.func @row_of_a_sparse_matrix(%x: memref<9xf32>, %rows: memref<2xi64>, %y: memref<1xf32> {mlc.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %f = memref.load %rows[%c0] : memref<2xi64>
  %l = memref.load %rows[%c1] : memref<2xi64>
  %first = arith.index_cast %f : i64 to index
  %last = arith.index_cast %l : i64 to index
  %s = scf.for %k = %first to %last step %c1 iter_args(%acc = %z) -> (f32) {
    %a = memref.load %x[%k] : memref<9xf32>
    %n = arith.addf %acc, %a : f32
    scf.yield %n : f32
  }
  memref.store %s, %y[%c0] : memref<1xf32>
  return
}

// Loops, branches and accesses of affine.
// CHECK-LABEL: @triangle(
// CHECK:         loop.for serial "i" %i = 0 to 4 {
// CHECK:           scf.while
// CHECK:             scf.if
// CHECK:               loop.store %{{.*}}, %y[%i, %j] : memref<4x4xf32>
// CHECK-NOT:     affine
func.func @triangle(%x: memref<4x4xf32>, %y: memref<4x4xf32> {mlc.output}) {
  affine.for %i = 0 to 4 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to 4 {
      %a = affine.load %x[%j, %i] : memref<4x4xf32>
      affine.if affine_set<(d0, d1) : (d0 + d1 - 3 >= 0)> (%i, %j) {
        affine.store %a, %y[%i, %j] : memref<4x4xf32>
      }
    }
  }
  return
}

// A name stands for one dim of a nest.
// CHECK-LABEL: @names(
// CHECK:         loop.for serial "i" %i = 0 to 2 {
// CHECK-NEXT:      loop.for serial "i1" %{{.*}} = 0 to 3 {
func.func @names(%y: memref<2x3xf32> {mlc.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %0 = %c0 to %c3 step %c1 {
      memref.store %z, %y[%i, %0] : memref<2x3xf32>
    }
  }
  return
}

// What has no loop of upstream stays as it is, as do accesses in it.
// CHECK-LABEL: @as_it_is(
// CHECK:         memref.load
func.func @as_it_is(%x: memref<9xf32>, %y: memref<1xf32> {mlc.output}) {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<9xf32>
  memref.store %a, %y[%c0] : memref<1xf32>
  return
}

// A loop for each counter of scf.forall.
// CHECK-LABEL: @forall(
// CHECK:         loop.for parallel "m" %m = 0 to 6 {
// CHECK-NEXT:      loop.for parallel "n" %n = 1 to 8 step 2 {
// CHECK-NEXT:        %a = loop.load %x[%m, %n] : memref<6x9xf32>
// CHECK-NEXT:        loop.store %a, %y[%n, %m] : memref<9x6xf32>
func.func @forall(%x: memref<6x9xf32>, %y: memref<9x6xf32> {mlc.output}) {
  scf.forall (%m, %n) = (0, 1) to (6, 8) step (1, 2) {
    %a = memref.load %x[%m, %n] : memref<6x9xf32>
    memref.store %a, %y[%n, %m] : memref<9x6xf32>
  }
  return
}

// CHECK-LABEL: @switch(
// CHECK:         %[[IS3:[a-z0-9_]+]] = arith.cmpi eq, %i, %{{.*}} : index
// CHECK-NEXT:    %{{.*}} = scf.if %[[IS3]] -> (f32) {
// CHECK-NEXT:      scf.yield %a : f32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %{{.*}} = arith.constant 5 : index
// CHECK-NEXT:      %[[IS5:.*]] = arith.cmpi eq, %i, %{{.*}} : index
// CHECK-NEXT:      %[[REST:[a-z0-9_]+]] = scf.if %[[IS5]] -> (f32) {
// CHECK-NEXT:        scf.yield %b : f32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %c : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[REST]] : f32
// CHECK-NEXT:    }
func.func @switch(%i: index, %a: f32, %b: f32, %c: f32) -> f32 {
  %r = scf.index_switch %i -> f32
  case 3 {
    scf.yield %a : f32
  }
  case 5 {
    scf.yield %b : f32
  }
  default {
    scf.yield %c : f32
  }
  return %r : f32
}

// Dims are loops, and what is there before is loaded where it is used.
// CHECK-LABEL: @linalg
// CHECK: loop.store %zero
// CHECK: loop.for parallel "n" %[[M:.*]] = 0 to 4 {
// CHECK-NEXT: loop.for serial "k" %[[K:.*]] = 0 to 8 {
// CHECK-NEXT: %[[X:.*]] = loop.load %x[%[[M]], %[[K]]]
// CHECK-NEXT: %[[S:.*]] = loop.load %y[%[[M]]]
// CHECK-NEXT: %[[I:.*]] = arith.index_cast %[[K]]
// CHECK: loop.store %{{.*}}, %y[%[[M]]]
func.func @linalg(%x: memref<4x8xi32>, %y: memref<4xi32> {mlc.output}) {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%y : memref<4xi32>)
  linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<4x8xi32>) outs(%y : memref<4xi32>) {
  ^bb0(%a: i32, %s: i32):
    %k = linalg.index 1 : index
    %n = arith.index_cast %k : index to i32
    %p = arith.muli %a, %n : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  }
  return
}

// CHECK-LABEL: @copies
// CHECK:      loop.for parallel "m" %m = 0 to 4 {
// CHECK-NEXT:   loop.for parallel "n" %n = 0 to 8 {
// CHECK-NEXT:     %[[V:.*]] = loop.load %x[%m, %n] : memref<4x8xf32>
// CHECK-NEXT:     loop.store %[[V]], %y[%m, %n] : memref<4x8xf32>
// CHECK:      %[[ONE:.*]] = loop.load %a[] : memref<f32>
// CHECK-NEXT: loop.store %[[ONE]], %b[] : memref<f32>
// CHECK-NEXT: func.return
func.func @copies(%x: memref<4x8xf32>, %y: memref<4x8xf32> {mlc.output}, %a: memref<f32>, %b: memref<f32> {mlc.output},
    %e: memref<0xf32>, %f: memref<0xf32> {mlc.output}) {
  memref.copy %x, %y : memref<4x8xf32> to memref<4x8xf32>
  memref.copy %a, %b : memref<f32> to memref<f32>
  memref.copy %e, %f : memref<0xf32> to memref<0xf32>
  return
}

// CHECK-LABEL: @execute_region
// CHECK: loop.for serial "i" %i = 0 to 4 {
// CHECK-NEXT: %[[A:.*]] = loop.load %x[%i] : memref<4xf32>
// CHECK-NEXT: %[[B:.*]] = arith.negf %[[A]] : f32
// CHECK-NEXT: loop.store %[[B]], %y[%i] : memref<4xf32>
func.func @execute_region(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  affine.for %i = 0 to 4 {
    %b = scf.execute_region -> f32 {
      %a = memref.load %x[%i] : memref<4xf32>
      %n = arith.negf %a : f32
      scf.yield %n : f32
    }
    memref.store %b, %y[%i] : memref<4xf32>
  }
  return
}
