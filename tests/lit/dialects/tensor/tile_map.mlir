// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @pairs
// CHECK: %y = "tensor.tile_map"(%x, %x)
// CHECK: tensor.yield %s, %d : f32, f32
func.func @pairs(%x: tensor<6xf32>) {
  %y = "tensor.tile_map"(%x, %x) <{dims = ["m"], sizes = array<i64: 3>, maps = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>], places = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>]}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    %d = arith.subf %a, %b : f32
    tensor.yield %s, %d : f32, f32
  }) : (tensor<6xf32>, tensor<6xf32>) -> tensor<5xf32>
  return
}
