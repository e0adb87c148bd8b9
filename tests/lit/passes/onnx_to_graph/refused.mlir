// RUN: not mlc-opt %s --split-input-file --convert-onnx-to-graph 2>&1 | filecheck %s

// All that stands in the way is told at once, each thing once; what only follows from it is not told.

// CHECK: error: com.example.Twist (version 1): mlc has no pattern for this operator; --load-pass FILE.py adds one (docs/importing-onnx.md) (2 nodes)
// CHECK-NEXT: %a = onnx.com.example.Twist
// CHECK: error: MatMul (version 13): graph.matmul: tensor<4x3xf32> has 3 columns and tensor<4x3xf32> has 4 rows; these must be equal (matmul_c2)
// CHECK-NOT: Neg
func.func @main(%x: tensor<4x3xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %a = onnx.com.example.Twist %x : (tensor<4x3xf32>) -> tensor<*xf32>
  %b = onnx.com.example.Twist %x : (tensor<4x3xf32>) -> tensor<*xf32>
  %c = onnx.Neg %a : (tensor<*xf32>) -> tensor<*xf32>
  %d = onnx.MatMul %x, %x : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  return %c, %d : tensor<*xf32>, tensor<*xf32>
}

// -----

// CHECK: error: Reshape (version 25): 'shape' has to be known when the model is compiled, and depends on what the model is given
func.func @main(%x: tensor<4x3xf32>, %shape: tensor<1xi64>) -> tensor<?xf32> {
  %y = onnx.Reshape %x, %shape : (tensor<4x3xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// CHECK: error: the model leaves dims of its inputs open: 'x' (nx?), 'y' (nx3); code is generated for known shapes: bind them, as in --shape x=1x1 --shape n=1
func.func @main(%x: tensor<?x?xf32> {onnx.dims = ["n", ""]}, %y: tensor<?x3xf32> {onnx.dims = ["n", ""]}) -> tensor<*xf32> {
  %r = onnx.Add %x, %y : (tensor<?x?xf32>, tensor<?x3xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// CHECK: error: Add (version 14): an operand has elements of type i4, which are only stored
func.func @main(%x: tensor<4xi4>) -> tensor<4xi4> {
  %y = onnx.Add %x, %x : (tensor<4xi4>, tensor<4xi4>) -> tensor<4xi4>
  return %y : tensor<4xi4>
}
