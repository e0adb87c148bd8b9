// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s

// CHECK-LABEL: @access
func.func @access(%m: memref<16x?xf32>, %n: index) {
  affine.for %i = 0 to 10 {
    // CHECK: %x = affine.load %m[%i + symbol(%n), %i * 2 - 1] {a} : memref<16x?xf32>
    %x = affine.load %m[%i + symbol(%n), 2 * %i - 1] {a} : memref<16x?xf32>
    // CHECK-NEXT: affine.store %x, %m[%i mod 3, %n] : memref<16x?xf32>
    affine.store %x, %m[%i mod 3, %n] : memref<16x?xf32>
    // CHECK-NEXT: %v = affine.vector_load %m[%i floordiv 2, 0] : memref<16x?xf32>, vector<4xf32>
    %v = affine.vector_load %m[%i floordiv 2, 0] : memref<16x?xf32>, vector<4xf32>
    // CHECK-NEXT: affine.vector_store %v, %m[7, %i] {b = 1 : i32} : memref<16x?xf32>, vector<4xf32>
    affine.vector_store %v, %m[7, %i] {b = 1 : i32} : memref<16x?xf32>, vector<4xf32>
  }
  return
}

// CHECK-LABEL: @if
func.func @if(%n: index, %x: f32) {
  affine.for %i = 0 to 10 {
    // CHECK: %0 = affine.if affine_set<{{.*}}>(%i)[%n] -> (f32) {
    // CHECK-NEXT: affine.yield %x : f32
    // CHECK-NEXT: } else {
    %0 = affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%i)[%n] -> f32 {
      affine.yield %x : f32
    } else {
      affine.yield %x : f32
    }
    // CHECK: affine.if affine_set<{{.*}}>() {
    // CHECK-NEXT: } {a}
    affine.if affine_set<() : (0 == 0)>() {
    } {a}
  }
  return
}

// CHECK-LABEL: @parallel
func.func @parallel(%n: index, %x: f32) {
  // CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, max(%n, 5)) to (%n, min(%n, symbol(%n) + 1)) step (1, 2) reduce ("addf", "mulf") -> (f32, f32) {
  %0:2 = affine.parallel (%i, %j) = (0, max(%n, 5)) to (%n, min(%n, symbol(%n) + 1)) step (1, 2)
         reduce ("addf", "mulf") -> (f32, f32) {
    affine.yield %x, %x : f32, f32
  }
  // CHECK: affine.parallel (%{{.*}}) = (0) to (10) {
  // CHECK-NEXT: } {a}
  affine.parallel (%i) = (0) to (10) {
  } {a}
  return
}

// CHECK-LABEL: @extremes
func.func @extremes(%i: index, %n: index) {
  // CHECK-NEXT: affine.max affine_map<(d0)[s0] -> (0, (d0 + (s0 * -1)))>(%i)[%n] {a}
  %0 = affine.max affine_map<(d0)[s0] -> (0, d0 - s0)>(%i)[%n] {a}
  // CHECK-NEXT: affine.max affine_map<() -> (3, 7)>()
  %1 = affine.max affine_map<() -> (3, 7)>()
  return
}
