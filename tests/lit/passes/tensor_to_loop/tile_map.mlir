// RUN: mlc-opt --convert-tensor-to-loop %s | filecheck %s

// What is elementwise behind is computed for each number; the tile that ends early has a nest of its own.
// CHECK-LABEL: @pairs
// CHECK: loop.for parallel "m" %m = 0 to 2 {
// CHECK: %[[S:.*]] = arith.addf
// CHECK: %[[D:.*]] = arith.subf
// CHECK: %[[B0:.*]] = loop.load %b[%m * 2] : memref<5xf32>
// CHECK: %[[R0:.*]] = arith.mulf %[[S]], %[[B0]]
// CHECK: loop.store %[[R0]], %out[%m * 2]
// CHECK: %[[B1:.*]] = loop.load %b[%m * 2 + 1] : memref<5xf32>
// CHECK: %[[R1:.*]] = arith.mulf %[[D]], %[[B1]]
// CHECK: loop.store %[[R1]], %out[%m * 2 + 1]
// CHECK: loop.for parallel "m" %{{.*}} = 2 to 3 {
// CHECK-COUNT-1: loop.store
// CHECK-NOT: loop.store
// CHECK: return
func.func private @pairs(%x: tensor<6xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  %y = "tensor.tile_map"(%x, %x) <{dims = ["m"], sizes = array<i64: 3>, maps = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>], places = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>]}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    %d = arith.subf %p, %q : f32
    tensor.yield %s, %d : f32, f32
  }) : (tensor<6xf32>, tensor<6xf32>) -> tensor<5xf32>
  %z = tensor.map %y[m], %b[m] over (m: 5) : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %q : f32
    tensor.yield %r : f32
  }
  return %z : tensor<5xf32>
}
