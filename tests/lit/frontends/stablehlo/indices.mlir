// RUN: mlc-opt %s --convert-stablehlo-to-graph | filecheck %s

// What lies outside is no mistake here: a gather takes the nearest rows, a scatter leaves its updates out. Indices that are
// known are such when the conversion is through.

// CHECK-LABEL: func.func @gather
// CHECK: %[[AT:.*]] = graph.constant dense<[2, 0, 1]> : tensor<3xi64>
// CHECK: graph.gather %x, %[[AT]] axis 0
func.func @gather(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %i = stablehlo.constant dense<[[7], [-2], [1]]> : tensor<3x1xi64>
  %y = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>, indices_are_sorted = false}> : (tensor<3x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @scatter
// CHECK: %[[INSIDE:.*]] = graph.constant dense<{{\[}}[false], [true]]> : tensor<2x1xi1>
// CHECK: graph.where %[[INSIDE]], %u
// CHECK: %[[AT:.*]] = graph.constant dense<{{\[}}[0], [1]]> : tensor<2x1xi64>
// CHECK: graph.scatter_nd add %x, %[[AT]]
func.func @scatter(%x: tensor<3x4xf32>, %u: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %i = stablehlo.constant dense<[[7], [1]]> : tensor<2x1xi64>
  %y = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
