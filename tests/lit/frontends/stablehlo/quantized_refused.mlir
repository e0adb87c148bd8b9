// RUN: mlc-opt %s --convert-stablehlo-to-graph --verify-diagnostics --split-input-file

func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.1>>) -> tensor<!quant.uniform<i8:f32, 0.1>> {
  %zero = stablehlo.constant() <{value = dense<0> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.1>>
  // expected-error @+1 {{stablehlo.add computes with quantised numbers in the region of stablehlo.reduce; required: ops that choose one of them, such as stablehlo.maximum, for others round in each step}}
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x!quant.uniform<i8:f32, 0.1>>, tensor<!quant.uniform<i8:f32, 0.1>>) -> tensor<!quant.uniform<i8:f32, 0.1>>
  return %0 : tensor<!quant.uniform<i8:f32, 0.1>>
}

// -----

func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.1>>) -> tensor<4xi8> {
  // expected-error @+1 {{stablehlo.bitcast_convert takes or gives !quant.uniform<i8:f32, 0.1>, i8; required: numbers that are not quantised, or of one type: stablehlo.uniform_dequantize and stablehlo.uniform_quantize convert them}}
  %0 = stablehlo.bitcast_convert %x : (tensor<4x!quant.uniform<i8:f32, 0.1>>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// expected-error @+1 {{found the type !quant.uniform<i8:f32:0, {0.1, 0.2, 0.3}>; 3 scales of axis 0 for a shape of [4]}}
func.func @main(%x: tensor<4x!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3}>>) -> tensor<4xf32> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3}>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{found the type !quant.uniform<i8:f32:{0:2, 1:1}, {{0.1}, {0.2}}>; required: integers:floats, scale:zero point, or scales of one axis in braces}}
func.func @main(%x: tensor<4x1x!quant.uniform<i8:f32:{0:2, 1:1}, {{0.1}, {0.2}}>>) -> tensor<4x1xf32> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<4x1x!quant.uniform<i8:f32:{0:2, 1:1}, {{0.1}, {0.2}}>>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

// expected-error @+1 {{found the type !quant.uniform<i8:f16, 1e-9>; a scale is 0 or infinite in f16}}
func.func @main(%x: tensor<4x!quant.uniform<i8:f16, 1e-9>>) -> tensor<4xf16> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f16, 1e-9>>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
