// Upstream reads what is printed, and what it prints is read as the same.
// REQUIRES: mlir-opt
// RUN: mlc-opt %S/affine.mlir | mlir-opt | mlc-opt | filecheck %s

// CHECK: affine.load %{{.*}}[%{{.*}} + symbol(%{{.*}}), %{{.*}} * 2 - 1] {a} : memref<16x?xf32>
// CHECK: affine.store %{{.*}}, %{{.*}}[%{{.*}} mod 3, %{{.*}}] : memref<16x?xf32>
// CHECK: affine.vector_load
// CHECK: affine.vector_store
// CHECK: affine.if affine_set<{{.*}}>(%{{.*}})[%{{.*}}] -> (f32) {
// CHECK: affine.if affine_set<{{.*}}>() {
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, max(%{{.*}}, 5)) to (%{{.*}}, min(%{{.*}}, %{{.*}} + 1)) step (1, 2) reduce ("addf", "mulf") -> (f32, f32) {
// CHECK: affine.parallel (%{{.*}}) = (0) to (10) {
