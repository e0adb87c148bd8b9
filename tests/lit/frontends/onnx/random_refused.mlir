// RUN: not mlc-opt %s --convert-onnx-to-graph 2>&1 | filecheck %s

// CHECK: error: RandomUniformLike (version {{.*}}): it draws floats, and its elements are to be i32; set dtype to a type of floats
// CHECK: error: Dropout (version {{.*}}): {{.*}}'training_mode'
// CHECK: error: Multinomial (version {{.*}}): there are no classes to draw from
// CHECK: error: RandomNormalLike (version {{.*}}): it stands in the body of a loop, where each step would draw the same numbers; draw those of all steps before the loop, and let each take a row
func.func @main(%x: tensor<4xi32>, %y: tensor<200x4xf32>, %training: tensor<i1>, %nothing: tensor<2x0xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xi32>, tensor<*xf32>) {
  %ratio = onnx.Constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.RandomUniformLike %x : (tensor<4xi32>) -> tensor<*xf32>
  %b = onnx.Dropout %y, %ratio, %training : (tensor<200x4xf32>, tensor<f32>, tensor<i1>) -> tensor<*xf32>
  %c = onnx.Multinomial %nothing : (tensor<2x0xf32>) -> tensor<*xi32>
  %d = onnx.Scan %y {num_scan_inputs = 1 : i64} body {
  ^bb0(%row: tensor<4xf32>):
    %r = onnx.RandomNormalLike %row : (tensor<4xf32>) -> tensor<4xf32>
    onnx.Yield %r : tensor<4xf32>
  } : (tensor<200x4xf32>) -> tensor<*xf32>
  return %a, %b, %c, %d : tensor<*xf32>, tensor<*xf32>, tensor<*xi32>, tensor<*xf32>
}
