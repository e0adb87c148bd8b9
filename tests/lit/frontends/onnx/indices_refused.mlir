// RUN: mlc-opt %s --convert-onnx-to-graph --split-input-file --verify-diagnostics

// An index that is known is one of an element, whichever operator has it. Others are left to the artifact.

func.func @gather(%x: tensor<3x4xf32>) -> tensor<*xf32> {
  %i = onnx.Constant {value = dense<[7, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @+1 {{index 7 is out of range for axis 0 of extent 3; required: -3 to 2}}
  %y = onnx.Gather %x, %i : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @one_row(%x: tensor<3x4xf32>) -> tensor<*xf32> {
  %i = onnx.Constant {value_int = -4 : i64} : () -> tensor<i64>
  // expected-error @+1 {{index -4 is out of range for axis 0 of extent 3; required: -3 to 2}}
  %y = onnx.Gather %x, %i : (tensor<3x4xf32>, tensor<i64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @gather_elements(%x: tensor<3x4xf32>) -> tensor<*xf32> {
  %i = onnx.Constant {value = dense<[[0, 4]]> : tensor<1x2xi64>} : () -> tensor<1x2xi64>
  // expected-error @+1 {{index 4 is out of range for axis 1 of extent 4; required: -4 to 3}}
  %y = onnx.GatherElements %x, %i {axis = 1 : i64} : (tensor<3x4xf32>, tensor<1x2xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @gather_nd(%x: tensor<3x4xf32>) -> tensor<*xf32> {
  %i = onnx.Constant {value = dense<[[2, 3], [2, -5]]> : tensor<2x2xi64>} : () -> tensor<2x2xi64>
  // expected-error @+1 {{index -5 is out of range for axis 1 of extent 4; required: -4 to 3}}
  %y = onnx.GatherND %x, %i : (tensor<3x4xf32>, tensor<2x2xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @scatter_elements(%x: tensor<3x4xf32>, %u: tensor<1x4xf32>) -> tensor<*xf32> {
  %i = onnx.Constant {value = dense<[[2, 1, 0, 3]]> : tensor<1x4xi64>} : () -> tensor<1x4xi64>
  // expected-error @+1 {{index 3 is out of range for axis 0 of extent 3; required: -3 to 2}}
  %y = onnx.ScatterElements %x, %i, %u : (tensor<3x4xf32>, tensor<1x4xi64>, tensor<1x4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @scatter_nd(%x: tensor<3x4xf32>, %u: tensor<1x4xf32>) -> tensor<*xf32> {
  %i = onnx.Constant {value = dense<[[3]]> : tensor<1x1xi64>} : () -> tensor<1x1xi64>
  // expected-error @+1 {{index 3 is out of range for axis 0 of extent 3; required: -3 to 2}}
  %y = onnx.ScatterND %x, %i, %u : (tensor<3x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @unpool(%x: tensor<1x1x2xf32>) -> tensor<*xf32> {
  %i = onnx.Constant {value = dense<[[[0, 4]]]> : tensor<1x1x2xi64>} : () -> tensor<1x1x2xi64>
  // expected-error @+1 {{index 4 is out of range for axis 0 of extent 4; required: -4 to 3}}
  %y = onnx.MaxUnpool %x, %i {kernel_shape = [2 : i64], strides = [2 : i64]} : (tensor<1x1x2xf32>, tensor<1x1x2xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @labels(%x: tensor<2x4xf32>) -> tensor<*xf32> {
  %i = onnx.Constant {value = dense<[0, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @+1 {{index 4 is out of range for axis 1 of extent 4; required: -4 to 3}}
  %y = onnx.NegativeLogLikelihoodLoss %x, %i : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// A label that is to be ignored is no index.

func.func @ignored(%x: tensor<2x4xf32>) -> tensor<*xf32> {
  %i = onnx.Constant {value = dense<[0, -100]> : tensor<2xi64>} : () -> tensor<2xi64>
  %y = onnx.NegativeLogLikelihoodLoss %x, %i {ignore_index = -100 : i64} : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @last(%x: tensor<3x4xf32>) -> tensor<*xf32> {
  %i = onnx.Constant {value = dense<[2, -3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %y = onnx.Gather %x, %i : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
