// RUN: mlc-opt %s --pass-pipeline='bind-inputs{shape="n=4","y=2x3" value="rate=16000","flag=true"}' | filecheck %s

// A dim by its name, wherever that stands; a whole shape by the name of the input; values become constants, and their
// inputs go.

// CHECK-LABEL: func.func @main(%x: tensor<4x3x4xf32> {onnx.dims = ["n", "", "n"]}, %y: tensor<2x3xf32> {mlc.name = "y"})
func.func @main(%x: tensor<?x3x?xf32> {onnx.dims = ["n", "", "n"]}, %0: tensor<i64> {mlc.name = "rate"},
                %y: tensor<*xf32> {mlc.name = "y"}, %flag: tensor<i1>) -> tensor<*xf32> {
  // CHECK-NEXT: onnx.Constant {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  // CHECK-NEXT: onnx.Constant {value = dense<16000> : tensor<i64>} : () -> tensor<i64>
  // CHECK-NEXT: onnx.com.example.Mix %x, %{{.*}}, %y, %{{.*}} : (tensor<4x3x4xf32>, tensor<i64>, tensor<2x3xf32>, tensor<i1>) -> tensor<*xf32>
  %r = onnx.com.example.Mix %x, %0, %y, %flag
      : (tensor<?x3x?xf32>, tensor<i64>, tensor<*xf32>, tensor<i1>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
