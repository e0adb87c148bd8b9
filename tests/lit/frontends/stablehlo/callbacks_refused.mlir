// RUN: mlc-opt %s --convert-stablehlo-to-graph --verify-diagnostics --split-input-file

// A callback that sees the numbers may compute what it gives.

func.func @main(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  // expected-error @+1 {{stablehlo.case: something in its region cannot be converted (stablehlo.custom_call: it calls back into Python, which native code cannot do; required: operations of JAX)}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %1 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A branch that gives something else, too, does not only raise.

func.func @main(%x: tensor<4xf32>, %i: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{stablehlo.case: something in its region cannot be converted (stablehlo.custom_call: it calls back into Python}}
  %0:2 = "stablehlo.case"(%i) ({
    stablehlo.return %x, %x : tensor<4xf32>, tensor<4xf32>
  }, {
    %1 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%i) : (tensor<i32>) -> tensor<4xf32>
    stablehlo.return %1, %x : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// All branches raise: there is nothing to go on with.

func.func @main(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  // expected-error @+1 {{stablehlo.case: something in its region cannot be converted (stablehlo.custom_call: it calls back into Python}}
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%i) : (tensor<i32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    %2 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%i) : (tensor<i32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
