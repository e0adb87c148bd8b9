// Regions of blocks, void ones, and attributes behind regions.
// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-debuginfo | mlc-opt | filecheck %s

// CHECK-LABEL: @execute_region
func.func @execute_region(%c: i1, %a: f32, %b: f32) -> f32 {
  // CHECK: scf.execute_region {
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: } {my.first}
  scf.execute_region {
    scf.yield
  } {my.first}
  // CHECK: scf.execute_region -> (f32) {
  // CHECK: ^{{.*}}:
  // CHECK: } {my.second = 2 : i64}
  %y = scf.execute_region -> f32 {
    cf.cond_br %c, ^left, ^right
  ^left:
    scf.yield %a : f32
  ^right:
    scf.yield %b : f32
  } {my.second = 2}
  return %y : f32
}

// CHECK-LABEL: @while
func.func @while(%c: i1, %i: index) -> index {
  // CHECK: scf.while (%w = %i, %v = %c) : (index, i1) -> (index, i1) {
  // CHECK: scf.condition(%v) %w, %v : index, i1
  // CHECK: } do {
  // CHECK: } attributes {my.loop}
  %0:2 = scf.while (%w = %i, %v = %c) : (index, i1) -> (index, i1) {
    scf.condition(%v) %w, %v : index, i1
  } do {
  ^bb0(%w2: index, %v2: i1):
    scf.yield %w2, %v2 : index, i1
  } attributes {my.loop}
  return %0#0 : index
}
