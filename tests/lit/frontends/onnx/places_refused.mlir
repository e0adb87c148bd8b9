// RUN: not mlc-opt %s --convert-onnx-to-graph 2>&1 | filecheck %s

// CHECK: error: TopK (version {{.*}}): the first 10 of 9 elements are asked for
// CHECK: error: TensorScatter (version {{.*}}): axis is 0, which is that of the batch
// CHECK: error: MaxUnpool (version {{.*}}): kernel [2, 2], strides [1, 1] and pads [0, 0, 0, 0] do not fit [1, 1, 4]
// CHECK: error: Col2Im (version {{.*}}): 5 columns, where windows of [2] have [4] places in [5]
// CHECK: error: GridSample (version {{.*}}): mode 'area' is not one of nearest, linear, cubic
// CHECK: error: RoiAlign (version {{.*}}): sampling_ratio is 0 and the regions are not known: it cannot be said how many samples
func.func @main(%x: tensor<2x9xf32>, %line: tensor<1x1x4xf32>, %i: tensor<1x1x4xi64>, %columns: tensor<1x2x5xf32>, %image: tensor<1x1x4x4xf32>, %grid: tensor<1x2x2x2xf32>, %rois: tensor<1x4xf32>, %batch: tensor<1xi64>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %ten = onnx.Constant {value_ints = [10 : i64]} : () -> tensor<1xi64>
  %five = onnx.Constant {value_ints = [5 : i64]} : () -> tensor<1xi64>
  %two = onnx.Constant {value_ints = [2 : i64]} : () -> tensor<1xi64>
  %a, %places = onnx.TopK %x, %ten : (tensor<2x9xf32>, tensor<1xi64>) -> (tensor<*xf32>, tensor<*xi64>)
  %b = onnx.TensorScatter %x, %x {axis = 0 : i64} : (tensor<2x9xf32>, tensor<2x9xf32>) -> tensor<*xf32>
  %c = onnx.MaxUnpool %line, %i {kernel_shape = [2 : i64, 2 : i64]} : (tensor<1x1x4xf32>, tensor<1x1x4xi64>) -> tensor<*xf32>
  %d = onnx.Col2Im %columns, %five, %two : (tensor<1x2x5xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  %e = onnx.GridSample %image, %grid {mode = "area"} : (tensor<1x1x4x4xf32>, tensor<1x2x2x2xf32>) -> tensor<*xf32>
  %f = onnx.RoiAlign %image, %rois, %batch : (tensor<1x1x4x4xf32>, tensor<1x4xf32>, tensor<1xi64>) -> tensor<*xf32>
  return %a, %b, %c, %d, %e, %f : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}
