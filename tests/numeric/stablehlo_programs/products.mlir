func.func @mixed_order() {
  %x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>
  %y = stablehlo.constant dense<[[1.0, 0.0], [2.0, 1.0]]> : tensor<2x2xf32>
  %0 = stablehlo.dot_general %x, %y, batching_dims = [2] x [1], contracting_dims = [0] x [0] : (tensor<2x2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[11.0, 17.0], [6.0, 8.0]]> : tensor<2x2xf32>
  return
}

// -----

func.func @transposed_convolution() {
  %x = stablehlo.constant dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %w = stablehlo.constant dense<[[[1.0, 10.0]]]> : tensor<1x1x2xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[1, 1]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x3xf32>, tensor<1x1x2xf32>) -> tensor<1x1x6xf32>
  check.expect_eq_const %0, dense<[[[10.0, 1.0, 20.0, 2.0, 30.0, 3.0]]]> : tensor<1x1x6xf32>
  %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x3xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  check.expect_eq_const %1, dense<[[[12.0, 23.0]]]> : tensor<1x1x2xf32>
  return
}

// -----

func.func @factors() {
  %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
  check.expect_almost_eq_const %0, dense<[[2.0, 0.0], [1.0, 2.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[2.0], [5.0]]> : tensor<2x1xf32>
  %1 = "stablehlo.triangular_solve"(%0, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  check.expect_almost_eq_const %1, dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  return
}

func.func @einsum() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %0 = stablehlo.einsum %x, %y, config = "ab,bc->ca" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[22.0, 49.0], [28.0, 64.0]]> : tensor<2x2xf32>
  %1 = stablehlo.einsum %x, %y, config = "ab,bc->b" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<3xf32>
  check.expect_eq_const %1, dense<[15.0, 49.0, 99.0]> : tensor<3xf32>
  %2 = stablehlo.einsum %x, %y, config = "ab,ba->ba" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %2, dense<[[1.0, 8.0], [6.0, 20.0], [15.0, 36.0]]> : tensor<3x2xf32>
  %3 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %4 = stablehlo.unary_einsum %3, config = "aa->a" : (tensor<2x2xf32>) -> tensor<2xf32>
  check.expect_eq_const %4, dense<[1.0, 4.0]> : tensor<2xf32>
  %5 = stablehlo.unary_einsum %x, config = "ab->b" : (tensor<2x3xf32>) -> tensor<3xf32>
  check.expect_eq_const %5, dense<[5.0, 7.0, 9.0]> : tensor<3xf32>
  %6 = stablehlo.einsum %3, %y, config = "bb,ab->ba" : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %6, dense<[[1.0, 3.0, 5.0], [8.0, 16.0, 24.0]]> : tensor<2x3xf32>
  return
}

func.func @dynamic_conv() {
  %x = stablehlo.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %w = stablehlo.constant dense<[[[1.0]], [[10.0]]]> : tensor<2x1x1xf32>
  %p = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %w, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x3x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x3x1xf32>
  check.expect_eq_const %0, dense<[[[10.0], [21.0], [32.0]]]> : tensor<1x3x1xf32>
  return
}
