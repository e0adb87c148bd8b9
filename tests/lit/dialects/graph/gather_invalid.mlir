// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @gather_c1(%x: tensor<10x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{graph.gather: axis is 2; tensor<10x4xf32> has axes 0 to 1 (gather_c1)}}
  %0 = graph.gather %x, %i axis 2 : tensor<10x4xf32>, tensor<3xi64> -> tensor<10x3xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<0x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{graph.gather: tensor<0x4xf32> has no elements along axis 0; it needs at least one (gather_c2)}}
  %0 = graph.gather %x, %i axis 0 : tensor<0x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @result_type(%x: tensor<10x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{graph.gather: the result type is tensor<10x3xf32>, the operands give tensor<3x4xf32>}}
  %0 = graph.gather %x, %i axis 0 : tensor<10x4xf32>, tensor<3xi64> -> tensor<10x3xf32>
  return
}

// -----

func.func @float_indices(%x: tensor<10x4xf32>, %i: tensor<3xf32>) {
  // expected-error @+1 {{'graph.gather': operand 'indices' is of type tensor<3xf32>; required: one of i32, i64 instead of f32}}
  %0 = graph.gather %x, %i axis 0 : tensor<10x4xf32>, tensor<3xf32> -> tensor<3x4xf32>
  return
}
