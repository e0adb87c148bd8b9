// Slices start where they can; updates that lie outside are left out.

func.func @slices() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi32>
  %i = stablehlo.constant dense<[-5, 9]> : tensor<2xi32>
  %a = stablehlo.slice %i [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %b = stablehlo.slice %i [1:2] : (tensor<2xi32>) -> tensor<1xi32>
  %p = stablehlo.reshape %a : (tensor<1xi32>) -> tensor<i32>
  %q = stablehlo.reshape %b : (tensor<1xi32>) -> tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %p, %q, sizes = [2, 2] : (tensor<3x3xi32>, tensor<i32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[2, 3], [5, 6]]> : tensor<2x2xi32>
  %1 = stablehlo.dynamic_update_slice %x, %0, %q, %p : (tensor<3x3xi32>, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<3x3xi32>
  check.expect_eq_const %1, dense<[[1, 2, 3], [2, 3, 6], [5, 6, 9]]> : tensor<3x3xi32>
  return
}

// -----

func.func @gather() {
  %x = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]> : tensor<3x4xi32>
  %i = stablehlo.constant dense<[[0, 3], [2, 1], [-1, 7]]> : tensor<3x2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x4xi32>, tensor<3x2xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[3, 10, 3], [4, 11, 4]]> : tensor<2x3xi32>
  return
}

// -----

func.func @batches() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi64>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xi32>, tensor<2x2xi64>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[3, 1], [5, 5]]> : tensor<2x2xi32>
  return
}

// -----

func.func @scatter_in_order() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %i = stablehlo.constant dense<[[1], [5], [1], [-1]]> : tensor<4x1xi32>
  %u = stablehlo.constant dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<[1.0, 30.0, 3.0]> : tensor<3xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<3xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<3xf32>
  check.expect_eq_const %1, dense<[1.0, 42.0, 3.0]> : tensor<3xf32>
  return
}

// -----

// A part of a window that lies outside is left out, the rest is written.

func.func @scatter_windows() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %i = stablehlo.constant dense<[[3], [-1]]> : tensor<2x1xi32>
  %u = stablehlo.constant dense<[[10, 20], [30, 40]]> : tensor<2x2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) : (tensor<4xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[40, 2, 3, 10]> : tensor<4xi32>
  return
}

// A region that does more than to add, with a place that is met twice, and one outside.
func.func @scatter_subtract() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %i = stablehlo.constant dense<[[1], [1], [9], [0]]> : tensor<4x1xi32>
  %u = stablehlo.constant dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.subtract %b, %a : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %0, dense<[39.0, 12.0, 3.0, 4.0]> : tensor<4xf32>
  return
}

// Two tensors at once: where a key is greater it takes its value along.
func.func @scatter_pairs() {
  %keys = stablehlo.constant dense<[[5, 5, 5], [0, 0, 0]]> : tensor<2x3xi32>
  %values = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %i = stablehlo.constant dense<[0, 0, 1]> : tensor<3xi64>
  %k = stablehlo.constant dense<[[9, 1, 7], [6, 6, 8], [1, -1, 2]]> : tensor<3x3xi32>
  %v = stablehlo.constant dense<[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [3.0, 3.0, 3.0]]> : tensor<3x3xf32>
  %0:2 = "stablehlo.scatter"(%keys, %values, %i, %k, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<f32>):
    %1 = stablehlo.compare GT, %c, %a, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.select %1, %c, %a : tensor<i1>, tensor<i32>
    %3 = stablehlo.select %1, %d, %b : tensor<i1>, tensor<f32>
    stablehlo.return %2, %3 : tensor<i32>, tensor<f32>
  }) : (tensor<2x3xi32>, tensor<2x3xf32>, tensor<3xi64>, tensor<3x3xi32>, tensor<3x3xf32>) -> (tensor<2x3xi32>, tensor<2x3xf32>)
  check.expect_eq_const %0#0, dense<[[9, 6, 8], [1, 0, 2]]> : tensor<2x3xi32>
  check.expect_eq_const %0#1, dense<[[1.0, 2.0, 2.0], [3.0, 0.0, 3.0]]> : tensor<2x3xf32>
  return
}

func.func @scatter_truths() {
  %x = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %i = stablehlo.constant dense<[[0], [1]]> : tensor<2x1xi64>
  %u = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %1 = stablehlo.and %a, %b : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3xi1>, tensor<2x1xi64>, tensor<2xi1>) -> tensor<3xi1>
  check.expect_eq_const %0, dense<[false, false, true]> : tensor<3xi1>
  return
}

func.func @dynamic_gather() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[[1], [0]]> : tensor<2x1xi64>
  %n = stablehlo.constant dense<[1, 3]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<2x3xi32>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[4, 5, 6], [1, 2, 3]]> : tensor<2x3xi32>
  return
}

// The coordinates come first, the batch is behind them.
func.func @batches_behind() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[[[2, 0], [1, 1]]]> : tensor<1x2x2xi64>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xi32>, tensor<1x2x2xi64>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[3, 1], [5, 5]]> : tensor<2x2xi32>
  return
}
