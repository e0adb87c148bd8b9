// RUN: mlc-opt %s --lower-to-loops --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %v = arith.constant 1.0 : f32
  // expected-error @+1 {{'tensor.insert' cannot be lowered to loops: no pattern of lower-to-loops handles it}}
  %0 = tensor.insert %v into %x[%i] : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>, %i: index) -> tensor<?xf32> {
  // expected-error @+1 {{tensor.pad: only constant amounts and one constant value can be lowered to loops}}
  %0 = tensor.pad %x low[%i] high[0] {
  ^bb0(%j: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
