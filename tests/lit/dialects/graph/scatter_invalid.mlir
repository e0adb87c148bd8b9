// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @c1(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error @+1 {{graph.scatter_nd: axes are [0], own axes [0]; list axes of tensor<10x4xf32> once, and at least one of axes (scatter_nd_c1)}}
  %0 = graph.scatter_nd set %x, %i, %u axes [0] own [0] : tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32> -> tensor<10x4xf32>
  return
}

// -----

func.func @c2(%x: tensor<10x4xf32>, %i: tensor<3x2xi64>, %u: tensor<3x4xf32>) {
  // expected-error @+1 {{it needs 1, one for each axis (scatter_nd_c2)}}
  %0 = graph.scatter_nd set %x, %i, %u axes [0] : tensor<10x4xf32>, tensor<3x2xi64>, tensor<3x4xf32> -> tensor<10x4xf32>
  return
}

// -----

func.func @c3(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>) {
  // expected-error @+1 {{axis 1 is an own axis; tensor<3x1xi64> has axes 0 to 0 (scatter_nd_c3)}}
  %0 = graph.scatter_nd set %x, %i, %u axes [0] own [1] : tensor<10x4xf32>, tensor<3x1xi64>, tensor<3xf32> -> tensor<10x4xf32>
  return
}

// -----

func.func @c4(%x: tensor<10x4xf32>, %i: tensor<3x5x1xi64>, %u: tensor<3x5xf32>) {
  // expected-error @+1 {{own axis 1 is longer in tensor<3x5x1xi64> than in tensor<10x4xf32>; it may not be (scatter_nd_c4)}}
  %0 = graph.scatter_nd set %x, %i, %u axes [0] own [1] : tensor<10x4xf32>, tensor<3x5x1xi64>, tensor<3x5xf32> -> tensor<10x4xf32>
  return
}

// -----

func.func @c5_shape(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>) {
  // expected-error @+1 {{graph.scatter_nd: the updates are tensor<3xf32>; one for each place is tensor<3x4xf32> (scatter_nd_c5)}}
  %0 = graph.scatter_nd set %x, %i, %u axes [0] : tensor<10x4xf32>, tensor<3x1xi64>, tensor<3xf32> -> tensor<10x4xf32>
  return
}

// -----

func.func @c5_element(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xi32>) {
  // expected-error @+1 {{the updates are tensor<3x4xi32>; one for each place is tensor<3x4xf32> (scatter_nd_c5)}}
  %0 = graph.scatter_nd set %x, %i, %u axes [0] : tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xi32> -> tensor<10x4xf32>
  return
}

// -----

func.func @c6(%x: tensor<10xi1>, %i: tensor<3x1xi64>, %u: tensor<3xi1>) {
  // expected-error @+1 {{graph.scatter_nd: add needs numbers, got tensor<10xi1>; insert graph.cast (scatter_nd_c6)}}
  %0 = graph.scatter_nd add %x, %i, %u axes [0] : tensor<10xi1>, tensor<3x1xi64>, tensor<3xi1> -> tensor<10xi1>
  return
}

// -----

func.func @result(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error @+1 {{the result type is tensor<3x4xf32>, the operands give tensor<10x4xf32>}}
  %0 = graph.scatter_nd set %x, %i, %u axes [0] : tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32> -> tensor<3x4xf32>
  return
}
