// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @philox_c1(%place: tensor<4xui64>, %key: tensor<5xui64>, %zero: tensor<ui64>) {
  // expected-error @+1 {{graph.philox: tensor<4xui64> and tensor<5xui64> and tensor<ui64> and tensor<ui64> do not broadcast; aligned at the right, extents must be equal or 1 (philox_c1)}}
  %0 = graph.philox %place, %key, %zero, %zero : tensor<4xui64>, tensor<5xui64>, tensor<ui64>, tensor<ui64> -> tensor<4xui32>
  return
}

// -----

func.func @result_shape(%place: tensor<4xui64>, %zero: tensor<ui64>) {
  // expected-error @+1 {{the result type is tensor<5xui32>, the operands give tensor<4xui32>}}
  %0 = graph.philox %place, %zero, %zero, %zero : tensor<4xui64>, tensor<ui64>, tensor<ui64>, tensor<ui64> -> tensor<5xui32>
  return
}

// -----

func.func @no_random_floats(%place: tensor<4xui64>, %zero: tensor<ui64>) {
  // expected-error @+1 {{'graph.philox': result 'result' is of type tensor<4xf32>}}
  %0 = graph.philox %place, %zero, %zero, %zero : tensor<4xui64>, tensor<ui64>, tensor<ui64>, tensor<ui64> -> tensor<4xf32>
  return
}

// -----

func.func @signed_key(%place: tensor<4xui64>, %key: tensor<i64>, %zero: tensor<ui64>) {
  // expected-error @+1 {{'graph.philox': operand 'key' is of type tensor<i64>}}
  %0 = graph.philox %place, %key, %zero, %zero : tensor<4xui64>, tensor<i64>, tensor<ui64>, tensor<ui64> -> tensor<4xui32>
  return
}
