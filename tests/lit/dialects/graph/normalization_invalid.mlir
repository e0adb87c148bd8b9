// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @softmax_c1(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{graph.softmax: axis is -1; tensor<2x8xf32> has axes 0 to 1 (softmax_c1)}}
  %0 = graph.softmax %x axis -1 : tensor<2x8xf32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<2x8xf32>, %v: tensor<8xf32>) {
  // expected-error @+1 {{graph.layer_norm: axis is 2; tensor<2x8xf32> has axes 0 to 1 (layer_norm_c1)}}
  %0 = graph.layer_norm %x, %v, %v axis 2 epsilon 1.0e-05 : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x8xf32>
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<2x8xf32>, %v: tensor<8xf32>, %w: tensor<2xf32>) {
  // expected-error @+1 {{graph.layer_norm: the bias is tensor<2xf32>; tensor<2x8xf32> normalised from axis 1 needs tensor<8xf32> (layer_norm_c2)}}
  %0 = graph.layer_norm %x, %v, %w axis 1 epsilon 1.0e-05 : tensor<2x8xf32>, tensor<8xf32>, tensor<2xf32> -> tensor<2x8xf32>
  return
}

// -----

func.func @batch_norm_c1(%x: tensor<2x8xf32>, %v: tensor<8xf32>) {
  // expected-error @+1 {{graph.batch_norm: axis is 3; tensor<2x8xf32> has axes 0 to 1 (batch_norm_c1)}}
  %0 = graph.batch_norm %x, %v, %v, %v, %v axis 3 epsilon 1.0e-05 : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x8xf32>
  return
}

// -----

func.func @batch_norm_c2(%x: tensor<2x8xf32>, %v: tensor<8xf32>, %w: tensor<2xf32>) {
  // expected-error @+1 {{graph.batch_norm: the variance is tensor<2xf32>; tensor<2x8xf32> with channels at axis 1 needs tensor<8xf32> (batch_norm_c2)}}
  %0 = graph.batch_norm %x, %v, %v, %v, %w axis 1 epsilon 1.0e-05 : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2xf32> -> tensor<2x8xf32>
  return
}
