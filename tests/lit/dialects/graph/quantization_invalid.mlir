// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @quantize_shapes(%x: tensor<2x3xf32>, %s: tensor<2xf32>, %z: tensor<i8>) {
  // expected-error @+1 {{(quantize_c1)}}
  %0 = graph.quantize %x, %s, %z : tensor<2x3xf32>, tensor<2xf32>, tensor<i8> -> tensor<2x3xi8>
  return
}

// -----

func.func @quantize_scale(%x: tensor<2xf16>, %s: tensor<f32>, %z: tensor<i8>) {
  // expected-error @+1 {{tensor<2xf16> and tensor<f32> have different element types; insert graph.cast (quantize_c2)}}
  %0 = graph.quantize %x, %s, %z : tensor<2xf16>, tensor<f32>, tensor<i8> -> tensor<2xi8>
  return
}

// -----

func.func @quantize_result(%x: tensor<2xf32>, %s: tensor<f32>, %z: tensor<i8>) {
  // expected-error @+1 {{the result type is tensor<2xui8>, the operands give tensor<2xi8>}}
  %0 = graph.quantize %x, %s, %z : tensor<2xf32>, tensor<f32>, tensor<i8> -> tensor<2xui8>
  return
}

// -----

func.func @quantize_to_i64(%x: tensor<2xf32>, %s: tensor<f32>, %z: tensor<i64>) {
  // expected-error @+1 {{i64}}
  %0 = graph.quantize %x, %s, %z : tensor<2xf32>, tensor<f32>, tensor<i64> -> tensor<2xi64>
  return
}

// -----

func.func @dequantize_shapes(%q: tensor<2x3xi8>, %s: tensor<f32>, %z: tensor<2xi8>) {
  // expected-error @+1 {{(dequantize_c1)}}
  %0 = graph.dequantize %q, %s, %z : tensor<2x3xi8>, tensor<f32>, tensor<2xi8> -> tensor<2x3xf32>
  return
}

// -----

func.func @dequantize_zero_point(%q: tensor<2xi8>, %s: tensor<f32>, %z: tensor<ui8>) {
  // expected-error @+1 {{tensor<2xi8> and tensor<ui8> have different element types; insert graph.cast (dequantize_c2)}}
  %0 = graph.dequantize %q, %s, %z : tensor<2xi8>, tensor<f32>, tensor<ui8> -> tensor<2xf32>
  return
}

// -----

func.func @dequantize_floats(%q: tensor<2xf32>, %s: tensor<f32>, %z: tensor<f32>) {
  // expected-error @+1 {{f32}}
  %0 = graph.dequantize %q, %s, %z : tensor<2xf32>, tensor<f32>, tensor<f32> -> tensor<2xf32>
  return
}
