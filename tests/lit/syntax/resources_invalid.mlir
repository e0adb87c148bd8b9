// RUN: mlc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{unknown resource 'wieght', did you mean 'weight'? (the text names no weight file)}}
%0 = arith.constant dense_resource<wieght> : tensor<2xf32>
// expected-error @+1 {{resource 'weight' has 8 bytes, but tensor<3xf32> needs 12}}
%1 = arith.constant dense_resource<weight> : tensor<3xf32>
%2 = arith.constant dense_resource<weight> : tensor<2xf32>
// expected-error @+1 {{resource 'weight' has shape 2, but tensor<1x2xf32> has shape 1x2}}
%3 = arith.constant dense_resource<weight> : tensor<1x2xf32>
// expected-error @+1 {{resource 'weight' has elements of type float32, but tensor<2xi32> has int32}}
%4 = arith.constant dense_resource<weight> : tensor<2xi32>
// expected-note @+1 {{its data is here}}
{-# dialect_resources: { builtin: { weight: "0x040000000000803F00000040" } } #-}

// -----

%0 = arith.constant dense_resource<w> : tensor<2xf32>
// expected-error @+1 {{weight file 'none.safetensors' not found}}
{-# external_resources: { mlc: { weights: "none.safetensors" } } #-}
