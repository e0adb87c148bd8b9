// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @pack
// CHECK: tensor.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e : tensor<8x12xf32> -> tensor<2x3x4x4xf32>
func.func @pack(%x: tensor<8x12xf32>, %e: tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32> {
  %0 = tensor.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e : tensor<8x12xf32> -> tensor<2x3x4x4xf32>
  return %0 : tensor<2x3x4x4xf32>
}

// CHECK-LABEL: @padded
// CHECK: tensor.pack %x padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [%n]
// CHECK-SAME: into %e {my.word} : tensor<?x12xf32> -> tensor<?x?x?xf32>
func.func @padded(%x: tensor<?x12xf32>, %z: f32, %n: index, %e: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = tensor.pack %x padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [%n]
       into %e {my.word} : tensor<?x12xf32> -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// CHECK-LABEL: @unpack
// CHECK: tensor.unpack %x outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 4] into %e : tensor<3x2x4x4xf32> -> tensor<7x12xf32>
func.func @unpack(%x: tensor<3x2x4x4xf32>, %e: tensor<7x12xf32>) -> tensor<7x12xf32> {
  %0 = tensor.unpack %x outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 4] into %e
       : tensor<3x2x4x4xf32> -> tensor<7x12xf32>
  return %0 : tensor<7x12xf32>
}
