// RUN: mlc-opt %s --convert-onnx-to-graph --verify-diagnostics --split-input-file

func.func @axis(%x: tensor<4xf32>, %axis: tensor<2xi64>) -> tensor<4xf32> {
  %two = onnx.Constant {value_ints = array<i64: 0, 1>} : () -> tensor<2xi64>
  // expected-error @+1 {{one number is required, found an array of shape [2]}}
  %y = onnx.CumSum %x, %two : (tensor<4xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @ranks(%x: tensor<7x5xf32>, %w: tensor<1x6x5xf32>, %r: tensor<1x6x6xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{input 'X' has 2 dims; required: 3}}
  %y = onnx.RNN %x, %w, %r {hidden_size = 6 : i64} : (tensor<7x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @directions(%x: tensor<7x2x5xf32>, %w: tensor<1x6x5xf32>, %r: tensor<1x6x6xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{W is for 1 directions, direction is 'bidirectional'}}
  %y = onnx.RNN %x, %w, %r {direction = "bidirectional"} : (tensor<7x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @activation(%x: tensor<7x2x5xf32>, %w: tensor<1x6x5xf32>, %r: tensor<1x6x6xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{activation 'Sine' is not known; mlc knows relu, tanh}}
  %y = onnx.RNN %x, %w, %r {activations = ["Sine"]} : (tensor<7x2x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @stacks(%go: tensor<i1>, %x: tensor<4xf32>) -> tensor<*xf32> {
  %none = onnx.NoValue
  // expected-error @+1 {{'cond' has to be known when the model is compiled}}
  %y:2 = onnx.Loop %none, %go, %x body {
  ^bb0(%i: tensor<i64>, %g: tensor<i1>, %s: tensor<4xf32>):
    onnx.Yield %g, %s, %s : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  } : (none, tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<*xf32>)
  return %y#1 : tensor<*xf32>
}

// -----

func.func @inputs(%go: tensor<i1>, %x: tensor<4xf32>) -> tensor<*xf32> {
  %none = onnx.NoValue
  // expected-error @+1 {{it carries 1 values, so its graph has 3 inputs and at least 2 outputs; found 2 and 2}}
  %y = onnx.Loop %none, %go, %x body {
  ^bb0(%i: tensor<i64>, %g: tensor<i1>):
    onnx.Yield %g, %x : tensor<i1>, tensor<4xf32>
  } : (none, tensor<i1>, tensor<4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @too_long(%x: tensor<4xf32>) -> tensor<*xf32> {
  %most = onnx.Constant {value_int = 9223372036854775807 : i64} : () -> tensor<i64>
  %none = onnx.NoValue
  // expected-error @+1 {{it takes 9223372036854775807 steps; mlc counts up to 16777216}}
  %y = onnx.Loop %most, %none, %x body {
  ^bb0(%i: tensor<i64>, %g: tensor<i1>, %s: tensor<4xf32>):
    onnx.Yield %g, %s : tensor<i1>, tensor<4xf32>
  } : (tensor<i64>, none, tensor<4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @scan_inputs(%x: tensor<4xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{num_scan_inputs is 2, the node has 1 inputs; required: 1 to as many}}
  %y = onnx.Scan %x {num_scan_inputs = 2 : i64} body {
  ^bb0(%a: tensor<f32>):
    onnx.Yield %a : tensor<f32>
  } : (tensor<4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @no_integer(%x: tensor<4xf32>) -> tensor<*xf32> {
  %most = onnx.Constant {value_float = 2.5 : f32} : () -> tensor<f32>
  %none = onnx.NoValue
  // expected-error @+1 {{an integer is required, found an array of float32}}
  %y = onnx.Loop %most, %none, %x body {
  ^bb0(%i: tensor<i64>, %g: tensor<i1>, %s: tensor<4xf32>):
    onnx.Yield %g, %s : tensor<i1>, tensor<4xf32>
  } : (tensor<f32>, none, tensor<4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @missing(%x: tensor<4xf32>) -> tensor<*xf32> {
  %none = onnx.NoValue
  // expected-error @+1 {{input 'B' is missing}}
  %y = onnx.Add %x, %none : (tensor<4xf32>, none) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @stacks_on_data(%x: tensor<4xf32>, %most: tensor<f32>) -> tensor<*xf32> {
  %none = onnx.NoValue
  // expected-error @+1 {{it stacks values of a number of steps that depends on data}}
  %y:2 = onnx.Loop %none, %none, %x body {
  ^bb0(%i: tensor<i64>, %g: tensor<i1>, %s: tensor<4xf32>):
    %sum = onnx.ReduceSum %s {keepdims = 0 : i64} : (tensor<4xf32>) -> tensor<f32>
    %on = onnx.Less %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    onnx.Yield %on, %s, %s : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  } : (none, none, tensor<4xf32>) -> (tensor<4xf32>, tensor<*xf32>)
  return %y#1 : tensor<*xf32>
}

// -----

func.func @condition_of_two(%x: tensor<4xf32>) -> tensor<*xf32> {
  %none = onnx.NoValue
  %both = onnx.Constant {value = dense<[true, false]> : tensor<2xi1>} : () -> tensor<2xi1>
  // expected-error @+1 {{one number is required, found an array of shape [2]}}
  %y = onnx.Loop %none, %none, %x body {
  ^bb0(%i: tensor<i64>, %g: tensor<i1>, %s: tensor<4xf32>):
    onnx.Yield %both, %s : tensor<2xi1>, tensor<4xf32>
  } : (none, none, tensor<4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// What the counters of two loops are in their steps says nothing of both: rows i to j + 1 are not as many in each.

func.func @two_counters(%x: tensor<4x3xf32>) -> tensor<*xf32> {
  %most = onnx.Constant {value_int = 70 : i64} : () -> tensor<i64>
  %none = onnx.NoValue
  %zero = onnx.Constant {value_float = 0.0 : f32} : () -> tensor<f32>
  %one = onnx.Constant {value_ints = [1]} : () -> tensor<1xi64>
  // expected-error @+1 {{something in its graph cannot be converted (2 nodes)}}
  %y = onnx.Loop %most, %none, %zero body {
  ^bb0(%i: tensor<i64>, %g: tensor<i1>, %s: tensor<f32>):
    %first = onnx.Reshape %i, %one : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %z = onnx.Loop %most, %none, %s body {
    ^bb0(%j: tensor<i64>, %h: tensor<i1>, %t: tensor<f32>):
      %at = onnx.Reshape %j, %one : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
      %last = onnx.Add %at, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
      // expected-error @+1 {{'starts' has to be known when the model is compiled}}
      %rows = onnx.Slice %x, %first, %last : (tensor<4x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
      %u = onnx.ReduceSum %rows {keepdims = 0 : i64} : (tensor<*xf32>) -> tensor<f32>
      %v = onnx.Add %t, %u : (tensor<f32>, tensor<f32>) -> tensor<f32>
      onnx.Yield %h, %v : tensor<i1>, tensor<f32>
    } : (tensor<i64>, none, tensor<f32>) -> tensor<f32>
    onnx.Yield %g, %z : tensor<i1>, tensor<f32>
  } : (tensor<i64>, none, tensor<f32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// Rows i to 2 i + 1.

func.func @more_in_each_step(%x: tensor<400x3xf32>) -> tensor<*xf32> {
  %most = onnx.Constant {value_int = 70 : i64} : () -> tensor<i64>
  %none = onnx.NoValue
  %zero = onnx.Constant {value_float = 0.0 : f32} : () -> tensor<f32>
  %one = onnx.Constant {value_ints = [1]} : () -> tensor<1xi64>
  // expected-error @+1 {{something in its graph cannot be converted}}
  %y = onnx.Loop %most, %none, %zero body {
  ^bb0(%i: tensor<i64>, %g: tensor<i1>, %s: tensor<f32>):
    %first = onnx.Reshape %i, %one : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %twice = onnx.Add %first, %first : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %last = onnx.Add %twice, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    // expected-error @+1 {{it takes 1 to 70 elements along axis 0 in the steps of a loop; required: as many in each}}
    %rows = onnx.Slice %x, %first, %last : (tensor<400x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
    %u = onnx.ReduceSum %rows {keepdims = 0 : i64} : (tensor<*xf32>) -> tensor<f32>
    %v = onnx.Add %s, %u : (tensor<f32>, tensor<f32>) -> tensor<f32>
    onnx.Yield %g, %v : tensor<i1>, tensor<f32>
  } : (tensor<i64>, none, tensor<f32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
