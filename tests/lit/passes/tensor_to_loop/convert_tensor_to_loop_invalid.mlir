// RUN: mlc-opt %s --convert-graph-to-tensor --convert-tensor-to-loop --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %v = arith.constant 1.0 : f32
  // expected-error @+1 {{'tensor.insert' cannot be lowered to loops: no pattern of convert-tensor-to-loop handles it}}
  %0 = tensor.insert %v into %x[%i] : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<6xf32> {
  // expected-error @+1 {{tensor.pad: only constant amounts and one constant value can be lowered to loops}}
  %0 = tensor.pad %x low[1] high[1] {
  ^bb0(%j: index):
    %c = arith.index_cast %j : index to i32
    %v = arith.sitofp %c : i32 to f32
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// expected-error @+1 {{'func.func' has a value of type tensor<?xf32>: code is generated for known shapes; write numbers for every '?'}}
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{'f' returns f32; code is generated for results that are tensors}}
func.func @f(%x: tensor<4xf32>, %s: f32) -> f32 {
  return %s : f32
}

// -----

func.func private @g(tensor<4xf32>) -> tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'g' has no body that could be called; define it}}
  %0 = func.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<0x8xf32>) -> tensor<0x8xf32> {
  // expected-error @+1 {{'graph.relu' has a value of type tensor<0x8xf32>, which has no elements: there is nothing to compute; run fold-empty at the graph level}}
  %0 = graph.relu %x : tensor<0x8xf32>
  return %0 : tensor<0x8xf32>
}

// -----

// expected-error @+1 {{'f' has 2 blocks; code is generated for functions of tensors with one}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'mlc.donated' of result 0 is 1; required: the number of an argument of type tensor<4xf32>, which no other result has}}
func.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>) -> (tensor<4xf32> {mlc.donated = 1 : i64}) {
  return %x : tensor<4xf32>
}
