// Upstream reads what is printed, and what it prints is read as the same.
// REQUIRES: mlir-opt
// RUN: mlc-opt %S/loops.mlir | mlir-opt | mlc-opt | filecheck %s

// CHECK-LABEL: @for
// CHECK: iter_args(%{{.*}} = %{{.*}}) -> (f32) {
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK-LABEL: @if
// CHECK: scf.if %{{.*}} -> (f32) {
// CHECK-LABEL: @parallel
// CHECK: scf.parallel (%{{.*}}, %{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) init (%{{.*}}) -> (f32, f32) {
// CHECK: scf.reduce(%{{.*}}, %{{.*}} : f32, f32) {
// CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) {
// CHECK-LABEL: @forall
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (%{{.*}}, 8) shared_outs(%{{.*}} = %{{.*}}) -> (tensor<8xf32>) {
// CHECK: tensor.parallel_insert_slice
// CHECK: scf.forall (%{{.*}}) = (1) to (%{{.*}}) step (2) {
