// REQUIRES: torch
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @unknown_operator(%x: tensor<2xf32>) {
  // expected-error@+1 {{unknown operation 'aten.adds'}}
  %y = aten.adds %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @unknown_overload(%x: tensor<2xf32>) {
  // expected-error@+1 {{unknown operation 'aten.add.Vector'}}
  %y = aten.add.Vector %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @unknown_attribute(%x: tensor<2xf32>) {
  // expected-error@+1 {{aten.add.Tensor: unknown attribute 'alfa'; it takes alpha: aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor}}
  %y = aten.add.Tensor %x, %x {alfa = 2 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @missing_attribute(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{aten.permute: attribute 'dims' is missing: aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)}}
  %y = aten.permute %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @operands(%x: tensor<2xf32>) {
  // expected-error@+1 {{aten.add.Tensor: found 1 operands for 2 arguments that are tensors; required: one each, or aten.operands with their numbers}}
  %y = aten.add.Tensor %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @counts(%x: tensor<2xf32>) {
  // expected-error@+1 {{aten.relu: 'self' is 2 operands; required: one}}
  %y = aten.relu %x, %x {aten.operands = array<i64: 2>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @results(%x: tensor<2xf32>) {
  // expected-error@+1 {{aten.relu: found 2 results; required: 1}}
  %y, %z = aten.relu %x : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}
