// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// Several graph ops for one operator are computed in f32, and the result is rounded once.
// CHECK-LABEL: func.func @steps
// CHECK-NEXT:    %[[WIDE:.*]] = graph.cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
// CHECK-NEXT:    %[[SQUARES:.*]] = graph.mul %[[WIDE]], %[[WIDE]] : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %[[SUM:.*]] = graph.reduce sum %[[SQUARES]] axes [0, 1] keepdims : tensor<4x8xf32> -> tensor<1x1xf32>
// CHECK-NEXT:    %[[ROOT:.*]] = graph.sqrt %[[SUM]] : tensor<1x1xf32>
// CHECK-NEXT:    %y = graph.cast %[[ROOT]] : tensor<1x1xf32> -> tensor<1x1xf16>
func.func @steps(%x: tensor<4x8xf16>) -> tensor<*xf16> {
  %y = onnx.ReduceL2 %x : (tensor<4x8xf16>) -> tensor<*xf16>
  return %y : tensor<*xf16>
}

// One op rounds by itself, and what moves or chooses elements does not round.
// CHECK-LABEL: func.func @one
// CHECK-NOT:     graph.cast
// CHECK:         func.return
func.func @one(%x: tensor<4x8xbf16>, %w: tensor<8x4xbf16>) -> (tensor<*xbf16>, tensor<*xbf16>, tensor<*xbf16>, tensor<*xbf16>) {
  %a = onnx.Gemm %x, %w : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<*xbf16>
  %b = onnx.ReduceSum %x : (tensor<4x8xbf16>) -> tensor<*xbf16>
  %d = onnx.Softmax %x : (tensor<4x8xbf16>) -> tensor<*xbf16>
  %e = onnx.Max %x, %x, %x : (tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<*xbf16>
  return %a, %b, %d, %e : tensor<*xbf16>, tensor<*xbf16>, tensor<*xbf16>, tensor<*xbf16>
}

// A product, or a convolution, is rounded with its bias.
// CHECK-LABEL: func.func @bias
// CHECK:         %[[SUM:.*]] = graph.add %{{.*}} : tensor<4x4xf32>, tensor<4xf32> -> tensor<4x4xf32>
// CHECK-NEXT:    graph.cast %[[SUM]] : tensor<4x4xf32> -> tensor<4x4xbf16>
// CHECK:         %[[SUM:.*]] = graph.add %{{.*}} : tensor<1x4x5x5xf32>, tensor<4x1x1xf32> -> tensor<1x4x5x5xf32>
// CHECK-NEXT:    graph.cast %[[SUM]] : tensor<1x4x5x5xf32> -> tensor<1x4x5x5xf16>
func.func @bias(%x: tensor<4x8xbf16>, %w: tensor<8x4xbf16>, %c: tensor<4xbf16>, %i: tensor<1x2x5x5xf16>, %k: tensor<4x2x1x1xf16>,
    %b: tensor<4xf16>) -> (tensor<*xbf16>, tensor<*xf16>) {
  %a = onnx.Gemm %x, %w, %c : (tensor<4x8xbf16>, tensor<8x4xbf16>, tensor<4xbf16>) -> tensor<*xbf16>
  %d = onnx.Conv %i, %k, %b : (tensor<1x2x5x5xf16>, tensor<4x2x1x1xf16>, tensor<4xf16>) -> tensor<*xf16>
  return %a, %d : tensor<*xbf16>, tensor<*xf16>
}

// The body that a specification gives an operator is one operator, too: scores of attention stay f32.
// CHECK-LABEL: func.func @body
// CHECK:         graph.softmax %{{.*}} axis 3 : tensor<1x2x5x5xf32>
// CHECK:         %[[Y:.*]] = graph.cast %{{.*}} : tensor<1x2x5x8xf32> -> tensor<1x2x5x8xbf16>
// CHECK-NEXT:    func.return %[[Y]] : tensor<1x2x5x8xbf16>
func.func @body(%q: tensor<1x2x5x8xbf16>, %k: tensor<1x2x5x8xbf16>) -> tensor<*xbf16> {
  %y, %past, %future, %scores = onnx.Attention %q, %k, %k : (tensor<1x2x5x8xbf16>, tensor<1x2x5x8xbf16>, tensor<1x2x5x8xbf16>) -> (tensor<*xbf16>, tensor<*xbf16>, tensor<*xbf16>, tensor<*xbf16>)
  return %y : tensor<*xbf16>
}
