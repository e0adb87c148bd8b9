// REQUIRES: mlir-opt
// RUN: mlc-opt %s | mlir-opt | mlc-opt | filecheck %s

// CHECK-LABEL: @all
// CHECK: tensor.generate %arg0 {
// CHECK: tensor.pack %arg1 padding_value(%{{.*}} : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 4]
// CHECK: tensor.unpack %{{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 4]
// CHECK: arith.index_castui
func.func @all(%n: index, %x: tensor<7x12xf32>, %b: tensor<3xi8>) -> (tensor<?xf32>, tensor<7x12xf32>, tensor<3xindex>) {
  %z = arith.constant 1.0 : f32
  %g = tensor.generate %n {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<?xf32>
  %e = tensor.empty() : tensor<3x2x4x4xf32>
  %p = tensor.pack %x padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 4]
       into %e : tensor<7x12xf32> -> tensor<3x2x4x4xf32>
  %u = tensor.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 4] into %x
       : tensor<3x2x4x4xf32> -> tensor<7x12xf32>
  %c = arith.index_castui %b : tensor<3xi8> to tensor<3xindex>
  return %g, %u, %c : tensor<?xf32>, tensor<7x12xf32>, tensor<3xindex>
}
