// RUN: mlc-opt --split-input-file --verify-diagnostics %s

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{unknown operation 'onnx.Relo', did you mean 'onnx.Relu'?}}
  %y = onnx.Relo %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{onnx.LeakyRelu: unknown attribute 'slope'; version 16 has alpha}}
  %y = onnx.LeakyRelu %x {slope = 0.5 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{onnx.Concat: attribute 'axis' is missing}}
  %y = onnx.Concat %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{onnx.Add: found 1 operands; version 14 takes 2}}
  %y = onnx.Add %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{onnx.Relu: found 2 results; version 14 takes 1}}
  %y, %z = onnx.Relu %x : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected the types of operands and results, (…) -> (…), got tensor<4xf32>}}
  %y = onnx.Relu %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{onnx.If: graph 'else_branch' is missing}}
  %y = onnx.If %c then_branch {
    onnx.Yield %x : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
