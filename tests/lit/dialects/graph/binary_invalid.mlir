// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @shapes_do_not_broadcast(%x: tensor<2x3xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{graph.add: tensor<2x3xf32> and tensor<4xf32> do not broadcast; aligned at the right, extents must be equal or 1 (add_c1)}}
  %0 = graph.add %x, %y : tensor<2x3xf32>, tensor<4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @element_types_differ(%x: tensor<3xf32>, %y: tensor<3xf64>) {
  // expected-error @+1 {{graph.mul: tensor<3xf32> and tensor<3xf64> have different element types; insert graph.cast (mul_c2)}}
  %0 = graph.mul %x, %y : tensor<3xf32>, tensor<3xf64> -> tensor<3xf32>
  return
}

// -----

func.func @wrong_result(%x: tensor<2x1xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{graph.sub: the result type is tensor<2x1xf32>, the operands give tensor<2x4xf32>; correct the type after '->'}}
  %0 = graph.sub %x, %y : tensor<2x1xf32>, tensor<4xf32> -> tensor<2x1xf32>
  return
}

// -----

func.func @power_of_integers(%x: tensor<3xi32>) {
  // expected-error @+1 {{i32}}
  %0 = graph.pow %x, %x : tensor<3xi32>, tensor<3xi32> -> tensor<3xi32>
  return
}
