// RUN: mlc-opt %s --verify-diagnostics --split-input-file

// add_c1

func.func @wrong(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error-re @+1 {{operands and result have one type{{.*}}(add_c1)}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// cosine_i1

func.func @wrong(%x: tensor<4xi32>) {
  // expected-error-re @+1 {{elements are floats or complex numbers{{.*}}(cosine_i1)}}
  %0 = stablehlo.cosine %x : tensor<4xi32>
  return
}

// -----

// abs_c2

func.func @wrong(%x: tensor<4xcomplex<f32>>) {
  // expected-error-re @+1 {{the result has elements of type f32{{.*}}(abs_c2)}}
  %0 = stablehlo.abs %x : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

// abs_c1

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{operands and result have one shape{{.*}}(abs_c1)}}
  %0 = stablehlo.abs %x : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// complex_c1

func.func @wrong(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error-re @+1 {{both parts have one type{{.*}}(complex_c1)}}
  %0 = stablehlo.complex %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xcomplex<f32>>
  return
}

// -----

// complex_c3

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{the result has elements of type complex<f32>{{.*}}(complex_c3)}}
  %0 = stablehlo.complex %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f64>>
  return
}

// -----

// compare_c1

func.func @wrong(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error-re @+1 {{both operands have one element type{{.*}}(compare_c1)}}
  %0 = stablehlo.compare LT, %x, %y : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

// compare_c3

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{f32 is compared as FLOAT or TOTALORDER; found SIGNED{{.*}}(compare_c3)}}
  %0 = stablehlo.compare LT, %x, %x, SIGNED : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// compare_o1

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{the result has elements of type i1{{.*}}(compare_o1)}}
  %0 = stablehlo.compare LT, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
  return
}

// -----

// select_c1

func.func @wrong(%p: tensor<2xi1>, %x: tensor<4xf32>) {
  // expected-error-re @+1 {{the condition is a scalar or has the shape of the values{{.*}}(select_c1)}}
  %0 = stablehlo.select %p, %x, %x : tensor<2xi1>, tensor<4xf32>
  return
}

// -----

// clamp_c1

func.func @wrong(%p: tensor<2xf32>, %x: tensor<4xf32>) {
  // expected-error-re @+1 {{a bound is a scalar or of the operand's shape{{.*}}(clamp_c1)}}
  %0 = stablehlo.clamp %p, %x, %x : (tensor<2xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// convert_c1

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{operands and result have one shape{{.*}}(convert_c1)}}
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<5xi32>
  return
}

// -----

// reduce_precision_c2

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{exponents have at least 1 bit{{.*}}(reduce_precision_c2)}}
  %0 = stablehlo.reduce_precision %x, format = e0m2 : tensor<4xf32>
  return
}

// -----

// add_i1

func.func @wrong(%x: f32) {
  // expected-error-re @+1 {{operand 0 is f32; it has to be a ranked tensor{{.*}}(add_i1)}}
  %0 = "stablehlo.add"(%x, %x) : (f32, f32) -> f32
  return
}
