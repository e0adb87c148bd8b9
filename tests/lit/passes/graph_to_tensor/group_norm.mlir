// RUN: mlc-opt %s --convert-graph-to-tensor | filecheck %s

// Big passes go over contiguous channels; what is shared by a group is computed on a few numbers.
// CHECK-LABEL: func.func private @group_norm(
// CHECK: %[[APART:.*]] = tensor.reduce add %x[b, k0, k1, n], %x[b, 0, 0, n] over (b: 2, n: 8) reduce (k0: 4, k1: 4)
// CHECK: tensor.map %[[APART]][b, n], %x[b, 0, 0, n] over (b: 2, n: 8)
// CHECK: tensor.reduce add %{{.*}}[b, g, member], %{{.*}}[b, g, 0] over (b: 2, g: 2) reduce (member: 4)
// CHECK: tensor.map %{{.*}}[b, g], %{{.*}}[b, g, 0] over (b: 2, g: 2, member: 4)
// CHECK: %[[MEAN:.*]] = tensor.expand_shape %{{.*}} : tensor<16xf32> into tensor<2x8xf32>
// CHECK: tensor.reduce add %x[b, k0, k1, n], %[[MEAN]][b, n] over (b: 2, n: 8) reduce (k0: 4, k1: 4)
// CHECK: math.sqrt
// CHECK: tensor.map %x[b, y, x, n], %[[MEAN]][b, n], %{{.*}}[b, n], %s[n], %t[n] over (b: 2, y: 4, x: 4, n: 8)
func.func @channels_last(%x: tensor<2x4x4x8xf32>, %s: tensor<8xf32>, %t: tensor<8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = graph.group_norm %x, %s, %t axis 3 groups 2 epsilon 1.0e-05 : tensor<2x4x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// Channels that are not contiguous do not get the name of the dim that becomes vectors.
// CHECK-LABEL: func.func private @group_norm_1(
// CHECK: tensor.reduce add %x[b, c, k0, k1], %x[b, c, 0, 0] over (b: 2, c: 8) reduce (k0: 4, k1: 4)
func.func @channels_first(%x: tensor<2x8x4x4xf32>, %s: tensor<8xf32>, %t: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %0 = graph.group_norm %x, %s, %t axis 1 groups 2 epsilon 1.0e-05 : tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x8x4x4xf32>
  return %0 : tensor<2x8x4x4xf32>
}
