// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @gather_c1(%x: tensor<10x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{graph.gather: axis is 2; tensor<10x4xf32> has axes 0 to 1 (gather_c1)}}
  %0 = graph.gather %x, %i axis 2 : tensor<10x4xf32>, tensor<3xi64> -> tensor<10x3xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<0x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{graph.gather: tensor<0x4xf32> has no elements along axis 0; it needs at least one (gather_c2)}}
  %0 = graph.gather %x, %i axis 0 : tensor<0x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @result_type(%x: tensor<10x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{graph.gather: the result type is tensor<10x3xf32>, the operands give tensor<3x4xf32>}}
  %0 = graph.gather %x, %i axis 0 : tensor<10x4xf32>, tensor<3xi64> -> tensor<10x3xf32>
  return
}

// -----

func.func @float_indices(%x: tensor<10x4xf32>, %i: tensor<3xf32>) {
  // expected-error @+1 {{'graph.gather': operand 'indices' is of type tensor<3xf32>; required: one of i32, i64 instead of f32}}
  %0 = graph.gather %x, %i axis 0 : tensor<10x4xf32>, tensor<3xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_nd_c1_range(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{graph.gather_nd: axes are [2], own axes []; list axes of tensor<10x4xf32> once, and at least one of axes (gather_nd_c1)}}
  %0 = graph.gather_nd %x, %i axes [2] : tensor<10x4xf32>, tensor<3x1xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_nd_c1_twice(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{axes are [0], own axes [0]; list axes of}}
  %0 = graph.gather_nd %x, %i axes [0] own [0] : tensor<10x4xf32>, tensor<3x1xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_nd_c1_none(%x: tensor<10x4xf32>, %i: tensor<3x0xi64>) {
  // expected-error @+1 {{axes are [], own axes []; list}}
  %0 = graph.gather_nd %x, %i axes [] : tensor<10x4xf32>, tensor<3x0xi64> -> tensor<3x10x4xf32>
  return
}

// -----

func.func @gather_nd_c2(%x: tensor<10x4xf32>, %i: tensor<3x2xi64>) {
  // expected-error @+1 {{graph.gather_nd: the last dim of tensor<3x2xi64> holds the coordinates; it needs 1, one for each axis (gather_nd_c2)}}
  %0 = graph.gather_nd %x, %i axes [0] : tensor<10x4xf32>, tensor<3x2xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_nd_c3(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{graph.gather_nd: axis 1 is an own axis; tensor<3x1xi64> has axes 0 to 0 (gather_nd_c3)}}
  %0 = graph.gather_nd %x, %i axes [0] own [1] : tensor<10x4xf32>, tensor<3x1xi64> -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c4(%x: tensor<10x4xf32>, %i: tensor<3x5x1xi64>) {
  // expected-error @+1 {{graph.gather_nd: own axis 1 is longer in tensor<3x5x1xi64> than in tensor<10x4xf32>; it may not be (gather_nd_c4)}}
  %0 = graph.gather_nd %x, %i axes [0] own [1] : tensor<10x4xf32>, tensor<3x5x1xi64> -> tensor<3x5xf32>
  return
}

// -----

func.func @gather_nd_c5(%x: tensor<0x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{graph.gather_nd: tensor<0x4xf32> has no elements along an axis of [0]; it needs at least one (gather_nd_c5)}}
  %0 = graph.gather_nd %x, %i axes [0] : tensor<0x4xf32>, tensor<3x1xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_nd_type(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{graph.gather_nd: the result type is tensor<3xf32>, the operands give tensor<3x4xf32>}}
  %0 = graph.gather_nd %x, %i axes [0] : tensor<10x4xf32>, tensor<3x1xi64> -> tensor<3xf32>
  return
}
