// REQUIRES: torch
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --convert-aten-to-graph

// Nothing is converted of which it is not proved that it is right for all extents of the call.

func.func @no_pattern_for_it(%x: tensor<8xf32> {mlc.extents = array<i64: 1>}, %n: tensor<i64> {mlc.range = array<i64: 2, 8>})
    -> tensor<8xf32> {
  // expected-error @+1 {{aten.roll: the extent of dim 0 of an operand, tensor<8xf32> at most, is known at the call only; required: a known one}}
  %y = aten.roll %x {shifts = array<i64: 1>, dims = array<i64: 0>, aten.sizes = [affine_map<()[s0] -> (s0)>]}
    : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @a_number_is_required(%n: tensor<i64> {mlc.range = array<i64: 2, 8>}) -> tensor<8xi64> {
  // expected-error @+1 {{aten.arange.start_step: its argument 'step' is n, which is known at the call only; required: a number}}
  %y = aten.arange.start_step {start = 0 : i64, end = 8 : i64, step = affine_map<()[s0] -> (s0)>} : () -> tensor<8xi64>
  return %y : tensor<8xi64>
}

// -----

func.func @another_shape(%x: tensor<8xf32> {mlc.extents = array<i64: 1>}, %n: tensor<i64> {mlc.range = array<i64: 2, 8>})
    -> tensor<8xf32> {
  // expected-error @+1 {{aten.slice.Tensor: its result is n - 1, and torch says n, for extents that are known at the call}}
  %y = aten.slice.Tensor %x {dim = 0 : i64, start = 1 : i64, aten.sizes = [affine_map<()[s0] -> (s0)>]}
    : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @never_said(%x: tensor<8xf32> {mlc.extents = array<i64: 1>}, %n: tensor<i64> {mlc.range = array<i64: 2, 8>})
    -> tensor<8xf32> {
  // expected-error @+1 {{aten.relu: its result is n, and torch says 8, for extents that are known at the call}}
  %y = aten.relu %x : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @of_others(%x: tensor<8x4xf32> {mlc.extents = array<i64: 1, -1>}, %n: tensor<i64> {mlc.range = array<i64: 2, 8>})
    -> tensor<4xf32> {
  // expected-error @+1 {{aten.select.int: it takes 1 elements from 3 on of n along dim 0, which may be fewer}}
  %y = aten.select.int %x {dim = 0 : i64, index = 3 : i64} : (tensor<8x4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
