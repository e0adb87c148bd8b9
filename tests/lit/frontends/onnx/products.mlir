// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// Products of matrices become graph.matmul, with moves and sums around it.

// A stack of matrices times one matrix: graph.matmul broadcasts as NumPy does.

// CHECK-LABEL: func.func @matmul
// CHECK-NEXT: %y = graph.matmul %x, %w : tensor<2x3x4xf32>, tensor<4x5xf32> -> tensor<2x3x5xf32>
// CHECK-NEXT: func.return %y : tensor<2x3x5xf32>
func.func @matmul(%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>) -> tensor<*xf32> {
  %y = onnx.MatMul %x, %w : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Vectors are matrices of one row and of one column; the result loses both dims.

// CHECK-LABEL: func.func @vectors
// CHECK-NEXT: %[[V0:.*]] = graph.reshape %x : tensor<4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: %[[V1:.*]] = graph.reshape %y : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %[[V2:.*]] = graph.matmul %[[V0]], %[[V1]] : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %z = graph.reshape %[[V2]] : tensor<1x1xf32> -> tensor<f32>
// CHECK-NEXT: func.return %z : tensor<f32>
func.func @vectors(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<*xf32> {
  %z = onnx.MatMul %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<*xf32>
  return %z : tensor<*xf32>
}

// `alpha A B^T + C`: a factor of 1, as beta here, leaves nothing.

// CHECK-LABEL: func.func @gemm
// CHECK-NEXT: %[[V0:.*]] = graph.transpose %b [1, 0] : tensor<5x4xf32> -> tensor<4x5xf32>
// CHECK-NEXT: %[[V1:.*]] = graph.matmul %a, %[[V0]] : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
// CHECK-NEXT: %[[V2:.*]] = graph.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[V3:.*]] = graph.mul %[[V1]], %[[V2]] : tensor<3x5xf32>, tensor<f32> -> tensor<3x5xf32>
// CHECK-NEXT: %y = graph.add %[[V3]], %c : tensor<3x5xf32>, tensor<5xf32> -> tensor<3x5xf32>
// CHECK-NEXT: func.return %y : tensor<3x5xf32>
func.func @gemm(%a: tensor<3x4xf32>, %b: tensor<5x4xf32>, %c: tensor<5xf32>) -> tensor<*xf32> {
  %y = onnx.Gemm %a, %b, %c {alpha = 0.5 : f32, transB = 1 : si64}
      : (tensor<3x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Names of dims become a transposition and a product of stacks.

// CHECK-LABEL: func.func @einsum
// CHECK-NEXT: %[[V0:.*]] = graph.transpose %k [0, 2, 1] : tensor<2x5x8xf32> -> tensor<2x8x5xf32>
// CHECK-NEXT: %y = graph.matmul %q, %[[V0]] : tensor<2x3x8xf32>, tensor<2x8x5xf32> -> tensor<2x3x5xf32>
// CHECK-NEXT: func.return %y : tensor<2x3x5xf32>
func.func @einsum(%q: tensor<2x3x8xf32>, %k: tensor<2x5x8xf32>) -> tensor<*xf32> {
  %y = onnx.Einsum %q, %k {equation = "bqd,bkd->bqk"} : (tensor<2x3x8xf32>, tensor<2x5x8xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Products of integers are of i32, from which zero points are subtracted first.

// CHECK-LABEL: func.func @integers
// CHECK-NEXT: %[[V0:.*]] = graph.cast %a : tensor<2x3xui8> -> tensor<2x3xi32>
// CHECK-NEXT: %[[V1:.*]] = graph.cast %zero : tensor<ui8> -> tensor<i32>
// CHECK-NEXT: %[[V2:.*]] = graph.sub %[[V0]], %[[V1]] : tensor<2x3xi32>, tensor<i32> -> tensor<2x3xi32>
// CHECK-NEXT: %[[V3:.*]] = graph.cast %b : tensor<3x2xi8> -> tensor<3x2xi32>
// CHECK-NEXT: %y = graph.matmul %[[V2]], %[[V3]] : tensor<2x3xi32>, tensor<3x2xi32> -> tensor<2x2xi32>
// CHECK-NEXT: func.return %y : tensor<2x2xi32>
func.func @integers(%a: tensor<2x3xui8>, %b: tensor<3x2xi8>, %zero: tensor<ui8>) -> tensor<*xi32> {
  %y = onnx.MatMulInteger %a, %b, %zero : (tensor<2x3xui8>, tensor<3x2xi8>, tensor<ui8>) -> tensor<*xi32>
  return %y : tensor<*xi32>
}
