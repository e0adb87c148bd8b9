// RUN: mlc-opt %s --convert-graph-to-tensor | filecheck %s

// The greatest element, then the least position that has it.
// CHECK-LABEL: func.func private @argmax(
// CHECK: %[[MOST:.*]] = tensor.reduce max %x[m, k] over (m: 4) reduce (k: 3)
// CHECK-NEXT: %[[AT:.*]] = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
// CHECK-NEXT: %[[FIRST:.*]] = tensor.reduce min %[[AT]][k], %x[m, k], %[[MOST]][m] over (m: 4) reduce (k: 3)
// CHECK: arith.cmpf oeq
// CHECK-NEXT: arith.cmpf uno
// CHECK: tensor.map %[[FIRST]][m] over (m: 4) : tensor<4xi32> -> tensor<4xi64>
func.func @last_axis(%x: tensor<4x3xf32>) -> tensor<4xi64> {
  %0 = graph.argmax %x axis 1 : tensor<4x3xf32> -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// CHECK-LABEL: func.func private @argmin(
// CHECK: tensor.reduce min %x[k, n] over (one: 1, n: 10) reduce (k: 4)
// CHECK: tensor.reduce min %{{.*}}[k], %x[k, n], %{{.*}}[one, n] over (one: 1, n: 10) reduce (k: 4)
// CHECK: arith.cmpi eq
func.func @first_axis_kept(%x: tensor<4x10xi32>) -> tensor<1x10xi64> {
  %0 = graph.argmin %x axis 0 keepdims : tensor<4x10xi32> -> tensor<1x10xi64>
  return %0 : tensor<1x10xi64>
}

// CHECK-LABEL: func.func private @argmax_1(
// CHECK: arith.constant dense_resource<mlc.positions.1000> : tensor<1000xi32>
func.func @many_positions(%x: tensor<1000xf64>) -> tensor<i64> {
  %0 = graph.argmax %x axis 0 : tensor<1000xf64> -> tensor<i64>
  return %0 : tensor<i64>
}

// CHECK-LABEL: func.func private @gather(
// CHECK: %[[DATA:.*]] = tensor.expand_shape %{{.*}} : tensor<240xf32> into tensor<4x10x6xf32>
// CHECK-NEXT: %[[ROWS:.*]] = tensor.collapse_shape %i {{.*}} : tensor<2x3xi32> into tensor<6xi32>
// CHECK-NEXT: tensor.take %[[DATA]][b, i, n] at (i = %[[ROWS]][m]) over (b: 4, m: 6, n: 6) : tensor<4x10x6xf32>, tensor<6xi32> -> tensor<4x6x6xf32>
func.func @middle_axis(%x: tensor<4x10x3x2xf32>, %i: tensor<2x3xi32>) -> tensor<4x2x3x3x2xf32> {
  %0 = graph.gather %x, %i axis 1 : tensor<4x10x3x2xf32>, tensor<2x3xi32> -> tensor<4x2x3x3x2xf32>
  return %0 : tensor<4x2x3x3x2xf32>
}

// Coordinates along two axes; the first axis is the point's own, the last one is read whole.
// CHECK-LABEL: func.func private @gather_nd(
// CHECK-NEXT: tensor.take %x[b, i0, i1, n] at (i0 = %yx[b, m, 0], i1 = %yx[b, m, 1]) over (b: 3, m: 6, n: 4) : {{.*}} -> tensor<3x6x4xf32>
// CHECK-NEXT: return
func.func @points(%x: tensor<3x9x5x4xf32>, %yx: tensor<3x6x2xi64>) -> tensor<3x6x4xf32> {
  %0 = graph.gather_nd %x, %yx axes [1, 2] own [0] : tensor<3x9x5x4xf32>, tensor<3x6x2xi64> -> tensor<3x6x4xf32>
  return %0 : tensor<3x6x4xf32>
}

// Own axes that are as long in both become one dim.
// CHECK-LABEL: func.func private @gather_nd_1(
// CHECK: tensor.take %{{.*}}[m, i] at (i = %{{.*}}[m, n, 0]) over (m: 14, n: 5) : tensor<14x11xf32>, tensor<14x5x1xi32> -> tensor<14x5xf32>
func.func @along_last_axis(%x: tensor<2x7x11xf32>, %i: tensor<2x7x5x1xi32>) -> tensor<2x7x5xf32> {
  %0 = graph.gather_nd %x, %i axes [2] own [0, 1] : tensor<2x7x11xf32>, tensor<2x7x5x1xi32> -> tensor<2x7x5xf32>
  return %0 : tensor<2x7x5xf32>
}

// The second own axis is shorter in the indices, so it stays apart.
// CHECK-LABEL: func.func private @gather_nd_2(
// CHECK-NEXT: tensor.take %x[b, m, i] at (i = %i[b, m, n, 0]) over (b: 2, m: 6, n: 5)
func.func @shorter_own_axis(%x: tensor<2x7x11xf32>, %i: tensor<2x6x5x1xi32>) -> tensor<2x6x5xf32> {
  %0 = graph.gather_nd %x, %i axes [2] own [0, 1] : tensor<2x7x11xf32>, tensor<2x6x5x1xi32> -> tensor<2x6x5xf32>
  return %0 : tensor<2x6x5xf32>
}

// CHECK-LABEL: func.func private @scatter_nd(
// CHECK: tensor.put max %{{.*}} into %{{.*}}[m, i] at (i = %{{.*}}[m, n, 0]) over (m: 14, n: 5) : tensor<14x5xf32>, tensor<14x11xf32>, tensor<14x5x1xi32> -> tensor<14x11xf32>
func.func @scatter_along_last_axis(%x: tensor<2x7x11xf32>, %i: tensor<2x7x5x1xi32>, %u: tensor<2x7x5xf32>) -> tensor<2x7x11xf32> {
  %0 = graph.scatter_nd max %x, %i, %u axes [2] own [0, 1] : tensor<2x7x11xf32>, tensor<2x7x5x1xi32>, tensor<2x7x5xf32> -> tensor<2x7x11xf32>
  return %0 : tensor<2x7x11xf32>
}
