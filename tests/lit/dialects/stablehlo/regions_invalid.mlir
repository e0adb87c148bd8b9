// RUN: mlc-opt %s --verify-diagnostics --split-input-file

// reduce_c4

func.func @wrong(%x: tensor<4x8xf32>, %v: tensor<f32>) {
  // expected-error-re @+1 {{dims are [2]; inputs have 2 dims{{.*}}(reduce_c4)}}
  %0 = stablehlo.reduce(%x init: %v) applies stablehlo.add across dimensions = [2] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reduce_c2

func.func @wrong(%x: tensor<4x8xf32>, %v: tensor<i32>) {
  // expected-error-re @+1 {{a reduction of tensor<4x8xf32> cannot start from tensor<i32>{{.*}}(reduce_c2)}}
  %0 = stablehlo.reduce(%x init: %v) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

// reduce_c7

func.func @wrong(%x: tensor<4x8xf32>, %v: tensor<f32>) {
  // expected-error-re @+1 {{the result is 8; it has to be 4{{.*}}(reduce_c7)}}
  %0 = stablehlo.reduce(%x init: %v) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

// sort_c5

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{the region 'comparator' takes (tensor<f32>); it has to be (tensor<f32>, tensor<f32>){{.*}}(sort_c5)}}
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// if_c3

func.func @wrong(%p: tensor<i1>, %x: tensor<i32>, %y: tensor<f32>) {
  // expected-error-re @+1 {{the region 'branch 0' returns (tensor<i32>); it has to be (tensor<f32>){{.*}}(if_c3)}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<i32>
  }, {
    stablehlo.return %y : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

// while_c1

func.func @wrong(%x: tensor<i32>) {
  // expected-error-re @+1 {{the region 'cond' returns (tensor<i32>); it has to be (tensor<i1>){{.*}}(while_c1)}}
  %0 = stablehlo.while(%i = %x) : tensor<i32>
  cond {
    stablehlo.return %i : tensor<i32>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  return
}

// -----

// gather_c22

func.func @wrong(%x: tensor<4x8xf32>, %i: tensor<2x1xi32>) {
  // expected-error-re @+1 {{the result is 2x7; it has to be 2x8{{.*}}(gather_c22)}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<2x1xi32>) -> tensor<2x7xf32>
  return
}

// -----

// gather_c3

func.func @wrong(%x: tensor<4x8xf32>, %i: tensor<2x2xi32>) {
  // expected-error-re @+1 {{start_index_map is [0]; an index has 2 parts{{.*}}(gather_c3)}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<2x2xi32>) -> tensor<2x8xf32>
  return
}

// -----

// scatter_c2

func.func @wrong(%x: tensor<4x8xf32>, %i: tensor<2x1xi32>, %u: tensor<2x8xf32>) {
  // expected-error-re @+1 {{window, inserted and batching dims are 1; inputs have 2 dims{{.*}}(scatter_c2)}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<2x1xi32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reduce_window_c15

func.func @wrong(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error-re @+1 {{the result is 4; it has to be 3{{.*}}(reduce_window_c15)}}
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
