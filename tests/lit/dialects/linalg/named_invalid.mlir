// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @rank(%a: tensor<4x8xf32>, %o: tensor<4x4xf32>) {
  // expected-error @+1 {{linalg.matvec: operand 1 is of type tensor<4x8xf32>, required: one of rank 1 (named_c1)}}
  %0 = linalg.matvec ins(%a, %a : tensor<4x8xf32>, tensor<4x8xf32>) outs(%o : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @count(%a: tensor<4x8xf32>, %o: tensor<4x4xf32>) {
  // expected-error @+1 {{linalg.matmul: 1 operands in ins and 1 in outs, required: 2 and 1 (named_c1)}}
  %0 = linalg.matmul ins(%a : tensor<4x8xf32>) outs(%o : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @extents(%a: tensor<4x8xf32>, %o: tensor<4x4xf32>) {
  // expected-error @+1 {{linalg.matmul: axis 1 of operand 0 has extent 8, the loops reach 4 there}}
  %0 = linalg.matmul ins(%a, %o : tensor<4x8xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @window(%a: tensor<1x4x4x2xf32>, %k: tensor<3x3xf32>, %o: tensor<1x3x3x2xf32>) {
  // expected-error @+1 {{linalg.pooling_nhwc_max: axis 1 of operand 0 has extent 4, the loops reach 5 there}}
  %0 = linalg.pooling_nhwc_max ins(%a, %k : tensor<1x4x4x2xf32>, tensor<3x3xf32>) outs(%o : tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32>
  return
}

// -----

func.func @strides(%a: tensor<1x4x4x2xf32>, %k: tensor<2x2xf32>, %o: tensor<1x3x3x2xf32>) {
  // expected-error @+1 {{linalg.pooling_nhwc_max: strides has 1 values, required: 2 (named_c2)}}
  %0 = linalg.pooling_nhwc_max {strides = dense<1> : tensor<1xi64>} ins(%a, %k : tensor<1x4x4x2xf32>, tensor<2x2xf32>) outs(%o : tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32>
  return
}

// -----

func.func @no_function(%a: tensor<4xi32>) {
  // expected-error @+1 {{linalg.exp: found exp of i32; it is a function of floats}}
  %0 = linalg.exp ins(%a : tensor<4xi32>) outs(%a : tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @map(%a: tensor<4xf32>) {
  // expected-error @+1 {{linalg.map: the body takes (f32, f32, f32), one element of each operand is (f32) (map_c1)}}
  %0 = linalg.map ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) (%x: f32, %y: f32, %z: f32) {
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @unknown_op(%a: tensor<4xf32>) {
  // expected-error @+1 {{'arith.plus' is not an op that is known}}
  %0 = linalg.map { arith.plus } ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>)
  return
}

// -----

func.func @reduce(%a: tensor<4x8xf32>, %o: tensor<4xf32>) {
  // expected-error @+1 {{linalg.reduce: dimensions [2], required: rising numbers below 2 (reduce_c2)}}
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<4x8xf32>) outs(%o : tensor<4xf32>) dimensions = [2]
  return
}

// -----

func.func @transpose(%a: tensor<4x8xf32>, %o: tensor<8x4xf32>) {
  // expected-error @+1 {{linalg.transpose: permutation [0, 0] of tensor<4x8xf32>, required: each dim of tensor<8x4xf32> once (transpose_c1)}}
  %0 = linalg.transpose ins(%a : tensor<4x8xf32>) outs(%o : tensor<8x4xf32>) permutation = [0, 0]
  return
}

// -----

func.func @broadcast(%a: tensor<4xf32>, %o: tensor<8x4xf32>) {
  // expected-error @+1 {{linalg.broadcast: dimensions [2] beside those of tensor<4xf32>, required: the dims of tensor<8x4xf32> (broadcast_c1)}}
  %0 = linalg.broadcast ins(%a : tensor<4xf32>) outs(%o : tensor<8x4xf32>) dimensions = [2]
  return
}

// -----

func.func @softmax(%a: tensor<4xf32>) {
  // expected-error @+1 {{linalg.softmax: dimension 1 of tensor<4xf32> to tensor<4xf32>, required: one type, and one of its dims (softmax_c1)}}
  %0 = linalg.softmax dimension(1) ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return
}
