// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// What depends on constants only has the shape that they give.
// CHECK-LABEL: func.func @nonzero
// CHECK-NEXT: %[[AT:.*]] = graph.constant dense<{{\[\[}}0, 1], [1, 0{{\]\]}}> : tensor<2x2xi64>
// CHECK-NEXT: return %[[AT]]
func.func @nonzero() -> tensor<2x?xi64> {
  %x = onnx.Constant {value = dense<[[0.0, 2.0], [-1.0, -0.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %y = onnx.NonZero %x : (tensor<2x2xf32>) -> tensor<2x?xi64>
  return %y : tensor<2x?xi64>
}

// CHECK-LABEL: func.func @compress
// CHECK-NEXT: %[[AT:.*]] = graph.constant dense<[0, 2]> : tensor<2xi64>
// CHECK-NEXT: %y = graph.gather %x, %[[AT]] axis 1 : tensor<5x4xf32>, tensor<2xi64> -> tensor<5x2xf32>
// CHECK: %z = graph.gather %{{.*}}, %{{.*}} axis 0 : tensor<20xf32>, tensor<2xi64> -> tensor<2xf32>
func.func @compress(%x: tensor<5x4xf32>) -> (tensor<5x?xf32>, tensor<?xf32>) {
  %condition = onnx.Constant {value = dense<[true, false, true]> : tensor<3xi1>} : () -> tensor<3xi1>
  %y = onnx.Compress %x, %condition {axis = 1 : i64} : (tensor<5x4xf32>, tensor<3xi1>) -> tensor<5x?xf32>
  %z = onnx.Compress %x, %condition : (tensor<5x4xf32>, tensor<3xi1>) -> tensor<?xf32>
  return %y, %z : tensor<5x?xf32>, tensor<?xf32>
}

// As they first occur: 2, 1, 3.
// CHECK-LABEL: func.func @unique
// CHECK-DAG: %y = graph.constant dense<[2, 1, 3]> : tensor<3xi64>
// CHECK-DAG: %first = graph.constant dense<[0, 1, 3]> : tensor<3xi64>
// CHECK-DAG: %inverse = graph.constant dense<[0, 1, 1, 2, 0]> : tensor<5xi64>
// CHECK-DAG: %counts = graph.constant dense<[2, 2, 1]> : tensor<3xi64>
func.func @unique() -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
  %x = onnx.Constant {value = dense<[2, 1, 1, 3, 2]> : tensor<5xi64>} : () -> tensor<5xi64>
  %y, %first, %inverse, %counts = onnx.Unique %x {sorted = 0 : i64} : (tensor<5xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  return %y, %first, %inverse, %counts : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}
