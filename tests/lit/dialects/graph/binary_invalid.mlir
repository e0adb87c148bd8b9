// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @shapes_do_not_broadcast(%x: tensor<2x3xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{graph.add: tensor<2x3xf32> and tensor<4xf32> do not broadcast; aligned at the right, extents must be equal or 1 (add_c1)}}
  %0 = graph.add %x, %y : tensor<2x3xf32>, tensor<4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @element_types_differ(%x: tensor<3xf32>, %y: tensor<3xf64>) {
  // expected-error @+1 {{graph.mul: tensor<3xf32> and tensor<3xf64> have different element types; insert graph.cast (mul_c2)}}
  %0 = graph.mul %x, %y : tensor<3xf32>, tensor<3xf64> -> tensor<3xf32>
  return
}

// -----

func.func @wrong_result(%x: tensor<2x1xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{graph.sub: the result type is tensor<2x1xf32>, the operands give tensor<2x4xf32>; correct the type after '->'}}
  %0 = graph.sub %x, %y : tensor<2x1xf32>, tensor<4xf32> -> tensor<2x1xf32>
  return
}

// -----

func.func @power_of_truth_values(%x: tensor<3xi1>) {
  // expected-error @+1 {{i1}}
  %0 = graph.pow %x, %x : tensor<3xi1>, tensor<3xi1> -> tensor<3xi1>
  return
}

// -----

func.func @shift_of_floats(%x: tensor<3xf32>) {
  // expected-error @+1 {{f32}}
  %0 = graph.shl %x, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @shift_of_truth_values(%x: tensor<3xi1>) {
  // expected-error @+1 {{graph.shr: tensor<3xi1> holds truth values, which have no places; insert graph.cast (shr_c3)}}
  %0 = graph.shr %x, %x : tensor<3xi1>, tensor<3xi1> -> tensor<3xi1>
  return
}

// -----

func.func @exclusive_or_of_floats(%x: tensor<3xf32>) {
  // expected-error @+1 {{f32}}
  %0 = graph.xor %x, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @sum_of_codes(%x: tensor<3xi4>) {
  // expected-error @+1 {{'graph.add': operand 'lhs' is of type tensor<3xi4>; required: one of bf16, f16, f32, f4E2M1FN, f64, f6E2M3FN, f6E3M2FN, f8E3M4, f8E4M3, f8E4M3B11FNUZ, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, i16, i32, i64, i8, ui16, ui32, ui64, ui8 instead of i4}}
  %0 = graph.add %x, %x : tensor<3xi4>, tensor<3xi4> -> tensor<3xi4>
  return
}

// -----

func.func @order_of_short_integers(%x: tensor<3xi4>) {
  // expected-error @+1 {{'graph.compare': operand 'lhs' is of type tensor<3xi4>; required: one of}}
  %0 = graph.compare lt, %x, %x : tensor<3xi4>, tensor<3xi4> -> tensor<3xi1>
  return
}
