// RUN: not mlc-opt %s --pass-pipeline='bind-inputs{shape="m=4"}' 2>&1 | filecheck %s --check-prefix=DIM
// RUN: not mlc-opt %s --pass-pipeline='bind-inputs{shape="x=4x5"}' 2>&1 | filecheck %s --check-prefix=FIT
// RUN: not mlc-opt %s --pass-pipeline='bind-inputs{shape="n=4x5"}' 2>&1 | filecheck %s --check-prefix=EXTENT
// RUN: not mlc-opt %s --pass-pipeline='bind-inputs{shape="n"}' 2>&1 | filecheck %s --check-prefix=FORM
// RUN: not mlc-opt %s --pass-pipeline='bind-inputs{value="rat=1"}' 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not mlc-opt %s --pass-pipeline='bind-inputs{value="rate=1.5"}' 2>&1 | filecheck %s --check-prefix=TYPE
// RUN: not mlc-opt %s --pass-pipeline='bind-inputs{value="rate=1,2"}' 2>&1 | filecheck %s --check-prefix=COUNT
// RUN: not mlc-opt %s --pass-pipeline='bind-inputs{value="rate=fast"}' 2>&1 | filecheck %s --check-prefix=NUMBER

// DIM: error: the model has no input or dim 'm' to bind a shape to; it has 'x', 'rate', 'n'
// FIT: error: input 'x' has the shape ?x3, which 4x5 does not fit
// EXTENT: error: a dim of input 'x' is bound to the shape 4x5; required: one number
// FORM: error: found 'n' as a shape; required: NAME=1x3x224x224, or NAME=1 for a dim of that name
// NAME: error: the model has no input 'rat' to bind a value to; did you mean 'rate'?
// TYPE: error: input 'rate' has elements of type i64, which cannot be 1.5
// COUNT: error: input 'rate' of shape [] is given 2 values
// NUMBER: error: found 'rate=fast' as a value; required: NAME=NUMBER, or NAME=NUMBER,NUMBER,…

func.func @main(%x: tensor<?x3xf32> {onnx.dims = ["n", ""]}, %rate: tensor<i64>) -> tensor<*xf32> {
  %r = onnx.com.example.Mix %x, %rate : (tensor<?x3xf32>, tensor<i64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
