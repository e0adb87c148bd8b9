// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: func.func @moves
func.func @moves(%x: tensor<4x8xf32>, %i: tensor<i32>, %v: tensor<f32>, %s: tensor<2xi32>) {
  // CHECK-NEXT: stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  // GENERIC: "stablehlo.constant"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK-NEXT: stablehlo.iota dim = 1 : tensor<3x4xf32>
  %0 = stablehlo.iota dim = 1 : tensor<3x4xf32>
  // CHECK-NEXT: stablehlo.broadcast_in_dim %v, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  // GENERIC: "stablehlo.broadcast_in_dim"(%v) <{broadcast_dimensions = array<i64>}>
  %1 = stablehlo.broadcast_in_dim %v, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  // CHECK-NEXT: stablehlo.slice %x [0:4:2, 1:3] : (tensor<4x8xf32>) -> tensor<2x2xf32>
  // GENERIC: <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 4, 3>, strides = array<i64: 2, 1>}>
  %2 = stablehlo.slice %x [0:4:2, 1:3] : (tensor<4x8xf32>) -> tensor<2x2xf32>
  // CHECK-NEXT: stablehlo.pad %x, %v, low = [1, -1], high = [0, 0], interior = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8x7xf32>
  %3 = stablehlo.pad %x, %v, low = [1, -1], high = [0, 0], interior = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8x7xf32>
  // CHECK-NEXT: stablehlo.concatenate %x, %x, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  // CHECK-NEXT: stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
  %5 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
  // CHECK-NEXT: stablehlo.dynamic_update_slice %x, %5, %i, %i : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %6 = stablehlo.dynamic_update_slice %x, %5, %i, %i : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  // CHECK-NEXT: stablehlo.reverse %x, dims = [0] : tensor<4x8xf32>
  %7 = stablehlo.reverse %x, dims = [0] : tensor<4x8xf32>
  // CHECK-NEXT: stablehlo.bitcast_convert %x : (tensor<4x8xf32>) -> tensor<4x8x4xi8>
  %8 = stablehlo.bitcast_convert %x : (tensor<4x8xf32>) -> tensor<4x8x4xi8>
  // CHECK-NEXT: %{{.*}}, %{{.*}} = stablehlo.optimization_barrier %x, %v : tensor<4x8xf32>, tensor<f32>
  %9:2 = stablehlo.optimization_barrier %x, %v : tensor<4x8xf32>, tensor<f32>
  // CHECK-NEXT: stablehlo.dynamic_reshape %x, %s : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %10 = stablehlo.dynamic_reshape %x, %s : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK-NEXT: stablehlo.get_dimension_size %{{.*}}, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %11 = stablehlo.get_dimension_size %10, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  return
}
