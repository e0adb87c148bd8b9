// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @argsort_c1(%x: tensor<4x10xf32>) {
  // expected-error @+1 {{graph.argsort: axis is 2; tensor<4x10xf32> has axes 0 to 1 (argsort_c1)}}
  %0 = graph.argsort %x axis 2 first 3 : tensor<4x10xf32> -> tensor<4x3xi64>
  return
}

// -----

func.func @argsort_c2(%x: tensor<4x10xf32>) {
  // expected-error @+1 {{graph.argsort: the first 11 of 10 elements along axis 1; there are not (argsort_c2)}}
  %0 = graph.argsort %x axis 1 first 11 : tensor<4x10xf32> -> tensor<4x11xi64>
  return
}

// -----

func.func @argsort_c2_negative(%x: tensor<4x10xf32>) {
  // expected-error @+1 {{graph.argsort: the first -1 of 10 elements along axis 1; there are not (argsort_c2)}}
  %0 = graph.argsort %x axis 1 first -1 : tensor<4x10xf32> -> tensor<4x1xi64>
  return
}

// -----

func.func @argsort_c3(%x: tensor<2147483648xi8>) {
  // expected-error @+1 {{graph.argsort: axis 0 of tensor<2147483648xi8> is too long; at most 2147483647 are sorted (argsort_c3)}}
  %0 = graph.argsort %x axis 0 first 1 : tensor<2147483648xi8> -> tensor<1xi64>
  return
}

// -----

func.func @result_type(%x: tensor<4x10xf32>) {
  // expected-error @+1 {{the result type is tensor<4x4xi64>, the operands give tensor<4x3xi64>}}
  %0 = graph.argsort %x axis 1 first 3 : tensor<4x10xf32> -> tensor<4x4xi64>
  return
}

// -----

func.func @truth_values(%x: tensor<4x10xi1>) {
  // expected-error @+1 {{'graph.argsort': operand 'input' is of type tensor<4x10xi1>}}
  %0 = graph.argsort %x axis 1 first 3 : tensor<4x10xi1> -> tensor<4x3xi64>
  return
}
