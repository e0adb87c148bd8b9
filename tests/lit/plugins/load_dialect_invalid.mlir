// RUN: mlc-opt --load-dialect %S/Inputs/scale.py %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{scale.by: the factor is -1.0; it must be positive}}
  %0 = scale.by %x, -1.0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{unknown operation 'scale.buy', did you mean 'scale.by'?}}
  %0 = scale.buy %x, 1.0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
