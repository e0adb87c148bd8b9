// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{tensor.map: dims must have distinct names and positive sizes, got n, n of sizes 4, 4 (structured_c1)}}
  %0 = tensor.map %x[n] over (n: 4, n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{tensor.map: the index map of operand 0 is over 2 dims, the op has 1 (structured_c2)}}
  %0 = "tensor.map"(%x) <{dims = ["n"], sizes = array<i64: 4>, maps = [affine_map<(d0, d1) -> (d0)>]}> ({
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{tensor.map: 1 subscripts for operand 0 of type tensor<4x4xf32> (structured_c3)}}
  %0 = tensor.map %x[n] over (n: 4) : tensor<4x4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{tensor.map: subscript 0 of operand 0 runs from 1 to 4, outside of tensor<4xf32> (structured_c4)}}
  %0 = tensor.map %x[n + 1] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{tensor.map: the result has shape 3, the dims that it is computed over have sizes 4 (structured_c5)}}
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<3xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{tensor.map: the body takes (f64), one element of each operand is (f32)}}
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f64):
    %b = arith.truncf %a : f64 to f32
    tensor.yield %b : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf64> {
  // expected-error @+1 {{tensor.map: the body yields f32, the result's elements are f64}}
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf64> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %0 : tensor<4xf64>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error @+1 {{tensor.reduce: unknown kind 'mean', required one of add, mul, max, min}}
  %0 = tensor.reduce mean %x[n] over () reduce (n: 4) : tensor<4xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{tensor.reduce: no dim to reduce over; use tensor.map}}
  %0 = tensor.reduce add %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4x2xf32>, %w: tensor<2x4xf64>) -> tensor<4x4xf32> {
  // expected-error @+1 {{tensor.contract: operands must have the element type of the result, or a shorter one of its kind, got tensor<4x2xf32>, tensor<2x4xf64> -> tensor<4x4xf32> (contract_c2)}}
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 4, n: 4) reduce (k: 2) : tensor<4x2xf32>, tensor<2x4xf64> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @f(%x: tensor<4x2xi8>, %w: tensor<2x4xi8>) -> tensor<4x4xf32> {
  // expected-error @+1 {{or a shorter one of its kind, got tensor<4x2xi8>, tensor<2x4xi8> -> tensor<4x4xf32> (contract_c2)}}
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 4, n: 4) reduce (k: 2) : tensor<4x2xi8>, tensor<2x4xi8> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @f(%x: tensor<4x2xi32>, %w: tensor<2x4xi8>) -> tensor<4x4xi32> {
  // expected-error @+1 {{tensor.contract: 'unsigned' numbers operands of integers shorter than i32, got 0 (contract_c3)}}
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 4, n: 4) reduce (k: 2) {unsigned = array<i64: 1, 0>} : tensor<4x2xi32>, tensor<2x4xi8> -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

// -----

func.func @f(%x: tensor<4x2xi8>, %w: tensor<2x4xi8>) -> tensor<4x4xi32> {
  // expected-error @+1 {{tensor.contract: 'unsigned' numbers operands of integers shorter than i32, got 2 (contract_c3)}}
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 4, n: 4) reduce (k: 2) {unsigned = array<i64: 2>} : tensor<4x2xi8>, tensor<2x4xi8> -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

// -----

func.func @f(%x: tensor<4x2xbf16>, %w: tensor<2x4xbf16>) -> tensor<4x4xf32> {
  // expected-error @+1 {{tensor.contract: 'unsigned' numbers operands of integers shorter than f32, got 0 (contract_c3)}}
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 4, n: 4) reduce (k: 2) {unsigned = array<i64: 0>} : tensor<4x2xbf16>, tensor<2x4xbf16> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{subscript 'm' is not one of the dims n}}
  %0 = tensor.map %x[m] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @unsigned_floats(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error @+1 {{tensor.reduce: 'maxui' combines unsigned integers, found elements of type f32; use 'max' (reduce_c3)}}
  %0 = tensor.reduce maxui %x[k] over () reduce (k: 4) : tensor<4xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @integers_without_nan(%x: tensor<4xi32>) -> tensor<i32> {
  // expected-error @+1 {{tensor.reduce: 'maxnum' leaves out NaN, found elements of type i32; use 'max' (reduce_c3)}}
  %0 = tensor.reduce maxnum %x[k] over () reduce (k: 4) : tensor<4xi32> -> tensor<i32>
  return %0 : tensor<i32>
}
