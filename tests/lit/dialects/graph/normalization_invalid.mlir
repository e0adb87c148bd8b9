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

// -----

func.func @rms_norm_c1(%x: tensor<2x8xf32>, %v: tensor<8xf32>) {
  // expected-error @+1 {{graph.rms_norm: axis is 2; tensor<2x8xf32> has axes 0 to 1 (rms_norm_c1)}}
  %0 = graph.rms_norm %x, %v axis 2 epsilon 1.0e-05 : tensor<2x8xf32>, tensor<8xf32> -> tensor<2x8xf32>
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<2x8xf32>, %v: tensor<8xf32>) {
  // expected-error @+1 {{graph.rms_norm: the scale is tensor<8xf32>; tensor<2x8xf32> normalised from axis 0 needs tensor<2x8xf32> (rms_norm_c2)}}
  %0 = graph.rms_norm %x, %v axis 0 epsilon 1.0e-05 : tensor<2x8xf32>, tensor<8xf32> -> tensor<2x8xf32>
  return
}

// -----

func.func @group_norm_c1(%x: tensor<2x8xf32>, %v: tensor<8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{graph.group_norm: axis is 2; tensor<2x8xf32> has axes 0 to 1 (group_norm_c1)}}
  %0 = graph.group_norm %x, %v, %s axis 2 groups 2 epsilon 1.0e-05 : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x8xf32>
  return
}

// -----

func.func @group_norm_c2(%x: tensor<2x8xf32>, %v: tensor<8xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{graph.group_norm: the bias is tensor<4xf32>; tensor<2x8xf32> with channels at axis 1 needs tensor<8xf32> (group_norm_c2)}}
  %0 = graph.group_norm %x, %v, %s axis 1 groups 2 epsilon 1.0e-05 : tensor<2x8xf32>, tensor<8xf32>, tensor<4xf32> -> tensor<2x8xf32>
  return
}

// -----

func.func @group_norm_c3(%x: tensor<2x8xf32>, %v: tensor<8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{graph.group_norm: axis is 0, which counts images in tensor<2x8xf32>; channels need another axis (group_norm_c3)}}
  %0 = graph.group_norm %x, %v, %s axis 0 groups 2 epsilon 1.0e-05 : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x8xf32>
  return
}

// -----

func.func @group_norm_c4(%x: tensor<2x8xf32>, %v: tensor<8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{graph.group_norm: groups is 3; it must divide the 8 channels of tensor<2x8xf32> at axis 1 (group_norm_c4)}}
  %0 = graph.group_norm %x, %v, %s axis 1 groups 3 epsilon 1.0e-05 : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x8xf32>
  return
}
