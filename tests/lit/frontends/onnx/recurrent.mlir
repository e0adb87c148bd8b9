// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// Recurrent networks are scans over the first axis, whose bodies are the cell. Weights are transposed outside of it.

// Gates lie in the order input, output, forget, cell: all are one product of the input, and one of the state.

// CHECK-LABEL: func.func @lstm
// CHECK:      %[[H:.*]], %[[C:.*]], %[[ALL:.*]] = graph.scan 7
// CHECK-SAME:   carry (%[[STATE:.*]] = %{{[0-9]+}}, %[[CELL:.*]] = %{{[0-9]+}}) over (%[[ROW:.*]] = %x) using (%[[W:.*]] = %{{[0-9]+}}, %[[R:.*]] = %{{[0-9]+}})
// CHECK-NEXT:   %[[OF_INPUT:.*]] = graph.matmul %[[ROW]], %[[W]] : tensor<1x5xf32>, tensor<5x16xf32> -> tensor<1x16xf32>
// CHECK-NEXT:   %[[OF_STATE:.*]] = graph.matmul %[[STATE]], %[[R]] : tensor<1x4xf32>, tensor<4x16xf32> -> tensor<1x16xf32>
// CHECK-NEXT:   %[[GATES:.*]] = graph.add %[[OF_INPUT]], %[[OF_STATE]]
// CHECK-NEXT:   %[[INPUT:.*]] = graph.slice %[[GATES]] starts [0, 0] ends [1, 4]
// CHECK-NEXT:   %[[OUTPUT:.*]] = graph.slice %[[GATES]] starts [0, 4] ends [1, 8]
// CHECK-NEXT:   %[[FORGET:.*]] = graph.slice %[[GATES]] starts [0, 8] ends [1, 12]
// CHECK-NEXT:   %[[PROPOSED:.*]] = graph.slice %[[GATES]] starts [0, 12] ends [1, 16]
// CHECK-NEXT:   %[[ADMITTED:.*]] = graph.sigmoid %[[INPUT]]
// CHECK-NEXT:   %[[SHARE:.*]] = graph.sigmoid %[[FORGET]]
// CHECK-NEXT:   %[[KEPT:.*]] = graph.mul %[[SHARE]], %[[CELL]]
// CHECK-NEXT:   %[[NEW:.*]] = graph.tanh %[[PROPOSED]]
// CHECK-NEXT:   %[[ADDED:.*]] = graph.mul %[[ADMITTED]], %[[NEW]]
// CHECK-NEXT:   %[[NEXT:.*]] = graph.add %[[KEPT]], %[[ADDED]]
// CHECK-NEXT:   %[[SHOWN:.*]] = graph.sigmoid %[[OUTPUT]]
// CHECK-NEXT:   %[[BOUNDED:.*]] = graph.tanh %[[NEXT]]
// CHECK-NEXT:   %[[RESULT:.*]] = graph.mul %[[SHOWN]], %[[BOUNDED]]
// CHECK-NEXT:   graph.yield %[[RESULT]], %[[NEXT]], %[[RESULT]]
// CHECK:      %y = graph.reshape %[[ALL]] : tensor<7x1x4xf32> -> tensor<7x1x1x4xf32>
// CHECK-NEXT: %c = graph.reshape %[[C]] : tensor<1x4xf32> -> tensor<1x1x4xf32>
func.func @lstm(%x: tensor<7x1x5xf32>, %w: tensor<1x16x5xf32>, %r: tensor<1x16x4xf32>)
    -> (tensor<*xf32>, tensor<*xf32>) {
  %y, %h, %c = onnx.LSTM %x, %w, %r {hidden_size = 4 : si64}
      : (tensor<7x1x5xf32>, tensor<1x16x5xf32>, tensor<1x16x4xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return %y, %c : tensor<*xf32>, tensor<*xf32>
}

// A direction turns the order of rows, not the tensor. The state passes the reset gate before its product.

// CHECK-LABEL: func.func @gru
// CHECK:      %[[H:.*]], %{{.*}} = graph.scan 7
// CHECK-SAME:   carry (%[[STATE:.*]] = %{{[0-9]+}}) over (%[[ROW:.*]] = %x backwards) using (%[[W:.*]] = %{{[0-9]+}}, %[[R:.*]] = %{{[0-9]+}})
// CHECK-SAME:   stack (backwards)
// CHECK-NEXT:   %[[OF_INPUT:.*]] = graph.matmul %[[ROW]], %[[W]] : tensor<1x5xf32>, tensor<5x12xf32> -> tensor<1x12xf32>
// CHECK:        %[[BOTH:.*]] = graph.sigmoid %{{.*}} : tensor<1x8xf32>
// CHECK-NEXT:   %[[UPDATE:.*]] = graph.slice %[[BOTH]] starts [0, 0] ends [1, 4]
// CHECK-NEXT:   %[[RESET:.*]] = graph.slice %[[BOTH]] starts [0, 4] ends [1, 8]
// CHECK:        %[[LEFT:.*]] = graph.mul %[[RESET]], %[[STATE]]
// CHECK-NEXT:   %[[OF_STATE:.*]] = graph.matmul %[[LEFT]], %{{.*}} : tensor<1x4xf32>, tensor<4x4xf32> -> tensor<1x4xf32>
// CHECK:        %[[NEW:.*]] = graph.tanh
// CHECK:        %[[REST:.*]] = graph.sub %{{.*}}, %[[UPDATE]] : tensor<f32>, tensor<1x4xf32> -> tensor<1x4xf32>
// CHECK-NEXT:   %[[ADDED:.*]] = graph.mul %[[REST]], %[[NEW]]
// CHECK-NEXT:   %[[KEPT:.*]] = graph.mul %[[UPDATE]], %[[STATE]]
// CHECK-NEXT:   %[[RESULT:.*]] = graph.add %[[ADDED]], %[[KEPT]]
// CHECK-NEXT:   graph.yield %[[RESULT]], %[[RESULT]]
// CHECK:      %h = graph.reshape %[[H]] : tensor<1x4xf32> -> tensor<1x1x4xf32>
func.func @gru(%x: tensor<7x1x5xf32>, %w: tensor<1x12x5xf32>, %r: tensor<1x12x4xf32>) -> tensor<*xf32> {
  %y, %h = onnx.GRU %x, %w, %r {direction = "reverse", hidden_size = 4 : si64}
      : (tensor<7x1x5xf32>, tensor<1x12x5xf32>, tensor<1x12x4xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  return %h : tensor<*xf32>
}
