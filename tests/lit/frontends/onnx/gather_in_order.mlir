// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// A mask gathered at all its rows and columns in order is a reshape, whether places are counted along one axis or two.
// CHECK-LABEL: @main
// CHECK-NOT: gather
// CHECK: [[FLAT:%.*]] = graph.reshape %mask : tensor<2x3xi1> -> tensor<6xi1>
// CHECK-NEXT: graph.reshape [[FLAT]] : tensor<6xi1> -> tensor<2x1x1x3xi1>
// CHECK: [[PART:%.*]] = graph.slice %x starts [2, 0] ends [5, 4] strides [1, 1] : tensor<6x4xf32> -> tensor<3x4xf32>
// CHECK: graph.reshape [[PART]] : tensor<3x4xf32> -> tensor<1x3x4xf32>
// Places in another order, or with others between them, are no slice.
// CHECK: graph.gather %x
// CHECK: graph.gather_nd %mask
func.func @main(%mask: tensor<2x3xi1>, %x: tensor<6x4xf32>) -> (tensor<*xi1>, tensor<*xf32>, tensor<*xf32>, tensor<*xi1>) {
  %all = onnx.Constant {value = dense<[[[[[0, 0], [0, 1], [0, -1]]]], [[[[1, 0], [1, 1], [-1, 2]]]]]> : tensor<2x1x1x3x2xi64>} : () -> tensor<2x1x1x3x2xi64>
  %some = onnx.Constant {value = dense<[[2, -3, 4]]> : tensor<1x3xi64>} : () -> tensor<1x3xi64>
  %back = onnx.Constant {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %column = onnx.Constant {value = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>} : () -> tensor<2x2xi64>
  %0 = onnx.GatherND %mask, %all : (tensor<2x3xi1>, tensor<2x1x1x3x2xi64>) -> tensor<*xi1>
  %1 = onnx.Gather %x, %some : (tensor<6x4xf32>, tensor<1x3xi64>) -> tensor<*xf32>
  %2 = onnx.Gather %x, %back : (tensor<6x4xf32>, tensor<2xi64>) -> tensor<*xf32>
  %3 = onnx.GatherND %mask, %column : (tensor<2x3xi1>, tensor<2x2xi64>) -> tensor<*xi1>
  func.return %0, %1, %2, %3 : tensor<*xi1>, tensor<*xf32>, tensor<*xf32>, tensor<*xi1>
}
