// RUN: not mlc-opt %s --split-input-file --convert-onnx-to-graph 2>&1 | filecheck %s

// All that stands in the way is told at once, each thing once; what only follows from it is not told.

// CHECK: error: com.example.Twist (version 1): mlc has no pattern for this operator; --load-pass FILE.py adds one (docs/importing-onnx.md) (2 nodes)
// CHECK-NEXT: %a = onnx.com.example.Twist
// CHECK: error: MatMul (version 13): its inputs A float[4,3], B float[4,3] do not fit: Incompatible dimensions for matrix multiplication
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

// What comes from the numbers that a model computes with cannot be bound.
// CHECK: error: Expand (version 13): 'shape' has to be known when the model is compiled, and depends on the numbers in input 'x', not on its shape alone; required: a model that computes all elements and chooses among them (Where)
func.func @main(%x: tensor<4x3xf32>, %y: tensor<1xf32>) -> tensor<*xf32> {
  %n = onnx.Cast %x {to = 7 : i64} : (tensor<4x3xf32>) -> tensor<4x3xi64>
  %s = onnx.ReduceSum %n {keepdims = 0 : i64} : (tensor<4x3xi64>) -> tensor<*xi64>
  %axes = onnx.Constant {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %shape = onnx.Unsqueeze %s, %axes : (tensor<*xi64>, tensor<1xi64>) -> tensor<*xi64>
  %e = onnx.Expand %y, %shape : (tensor<1xf32>, tensor<*xi64>) -> tensor<*xf32>
  return %e : tensor<*xf32>
}

// -----

// CHECK: error: the model leaves dims of its inputs open: 'x' (nx?), 'y' (nx3); code is generated for known shapes, or ranges such as 1..8: bind them, as in --shape x=1x1 --shape n=1
func.func @main(%x: tensor<?x?xf32> {onnx.dims = ["n", ""]}, %y: tensor<?x3xf32> {onnx.dims = ["n", ""]}) -> tensor<*xf32> {
  %r = onnx.Add %x, %y : (tensor<?x?xf32>, tensor<?x3xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// CHECK: error: Add (version 14): input 'A' is tensor(int4); the operator takes tensor(bfloat16), 
func.func @main(%x: tensor<4xi4>) -> tensor<4xi4> {
  %y = onnx.Add %x, %x : (tensor<4xi4>, tensor<4xi4>) -> tensor<4xi4>
  return %y : tensor<4xi4>
}

// -----

// What the specification has nothing against is said of the node all the same, and nothing of the graph dialect.
// CHECK: error: Conv (version 22): its inputs X float[1,4,8,8], W float[5,3,3,3] do not fit: tensor<1x4x8x8xf32> has 4 channels, tensor<5x3x3x3xf32> takes 3 and gives 5{{.*}}must divide what is given{{$}}
// CHECK: error: Add (version 14): inputs 'A' and 'B' are tensor(float) and tensor(int64); the operator takes one type for both: put a Cast before one of them{{$}}
// CHECK: error: Reshape (version 25): float[4,3] cannot become [5, 5]: it has 12 elements
// CHECK: error: Reshape (version 25): float[4,3] cannot become [5, -1]: no extent fits -1
func.func @main(%image: tensor<1x4x8x8xf32>, %x: tensor<4x3xf32>, %i: tensor<4x3xi64>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %w = onnx.Constant {value = dense<1.0> : tensor<5x3x3x3xf32>} : () -> tensor<5x3x3x3xf32>
  %a = onnx.Conv %image, %w : (tensor<1x4x8x8xf32>, tensor<5x3x3x3xf32>) -> tensor<*xf32>
  %b = onnx.Add %x, %i : (tensor<4x3xf32>, tensor<4x3xi64>) -> tensor<*xf32>
  %square = onnx.Constant {value_ints = array<i64: 5, 5>} : () -> tensor<2xi64>
  %rows = onnx.Constant {value_ints = array<i64: 5, -1>} : () -> tensor<2xi64>
  %c = onnx.Reshape %x, %square : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<*xf32>
  %d = onnx.Reshape %x, %rows : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %a, %b, %c, %d : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// -----

// Places are counted in f32, and each has its weights: this is an error at once, and takes no memory.
// CHECK: error: Resize (version 19): it resizes to an extent of 3999999983616; mlc resizes to 16777216 at most
func.func @main(%x: tensor<4xf32>) -> tensor<*xf32> {
  %none = onnx.NoValue
  %scales = onnx.Constant {value = dense<1.0e12> : tensor<1xf32>} : () -> tensor<1xf32>
  %y = onnx.Resize %x, %none, %scales {mode = "nearest"} : (tensor<4xf32>, none, tensor<1xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
