// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @for
func.func @for(%l: index, %u: index, %s: index, %i: i32, %x: f32) -> f32 {
  // CHECK: scf.for %{{.*}} = %l to %u step %s iter_args(%{{.*}} = %x) -> (f32) {
  %0 = scf.for %k = %l to %u step %s iter_args(%a = %x) -> f32 {
    scf.yield %a : f32
  }
  // CHECK: scf.for %{{.*}} = %i to %i step %i : i32 {
  // CHECK-NEXT: } {a = 1 : i32}
  scf.for %k = %i to %i step %i : i32 {
  } {a = 1 : i32}
  return %0 : f32
}

// CHECK-LABEL: @if
func.func @if(%c: i1, %x: f32) -> f32 {
  // CHECK: %0 = scf.if %c -> (f32) {
  %0 = scf.if %c -> f32 {
    scf.yield %x : f32
  } else {
    scf.yield %x : f32
  }
  // CHECK: scf.if %c {
  // CHECK-NEXT: } {a}
  scf.if %c {
  } {a}
  return %0 : f32
}

// CHECK-LABEL: @parallel
func.func @parallel(%l: index, %u: index, %x: f32) -> f32 {
  // CHECK: %0, %1 = scf.parallel (%{{.*}}, %{{.*}}) = (%l, %l) to (%u, %u) step (%u, %u) init (%x, %x) -> (f32, f32) {
  %0:2 = scf.parallel (%i, %j) = (%l, %l) to (%u, %u) step (%u, %u) init (%x, %x) -> (f32, f32) {
    // CHECK: scf.reduce(%x, %x : f32, f32) {
    scf.reduce(%x, %x : f32, f32) {
    ^bb0(%a: f32, %b: f32):
      // CHECK: scf.reduce.return %a : f32
      // CHECK: }, {
      scf.reduce.return %a : f32
    }, {
    ^bb0(%a: f32, %b: f32):
      scf.reduce.return %b : f32
    }
  }
  // CHECK: scf.parallel (%{{.*}}) = (%l) to (%u) step (%u) {
  // CHECK-NEXT: scf.reduce
  // CHECK-NEXT: } {a}
  scf.parallel (%i) = (%l) to (%u) step (%u) {
  } {a}
  return %0 : f32
}

// CHECK-LABEL: @forall
func.func @forall(%n: index, %x: tensor<8xf32>, %p: tensor<1xf32>) -> tensor<8xf32> {
  // CHECK: %0 = scf.forall (%{{.*}}, %{{.*}}) in (%n, 8) shared_outs(%{{.*}} = %x) -> (tensor<8xf32>) {
  %0 = scf.forall (%i, %j) in (%n, 8) shared_outs(%o = %x) -> tensor<8xf32> {
    // CHECK-NEXT: scf.forall.in_parallel {
    // CHECK-NEXT: tensor.parallel_insert_slice %p into %{{.*}}[%{{.*}}] [1] [1] : tensor<1xf32> into tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%j] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  // CHECK: scf.forall (%{{.*}}) = (1) to (%n) step (2) {
  // CHECK-NEXT: } {a}
  scf.forall (%i) = (1) to (%n) step (2) {
  } {a}
  return %0 : tensor<8xf32>
}
