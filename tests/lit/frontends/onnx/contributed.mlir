// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// Quantised operands become floats, and the result integers.

// CHECK-LABEL: func.func @sum
// CHECK:         %[[A:.*]] = graph.dequantize %a, %s, %z
// CHECK:         %[[B:.*]] = graph.dequantize %b, %t, %{{.*}} : tensor<3x1xui8>, tensor<f32>, tensor<ui8> -> tensor<3x1xf32>
// CHECK-NEXT:    %[[SUM:.*]] = graph.add %[[A]], %[[B]]
// CHECK-NEXT:    %y = graph.quantize %[[SUM]], %t, %z : tensor<3x4xf32>, tensor<f32>, tensor<ui8> -> tensor<3x4xui8>
func.func @sum(%a: tensor<3x4xui8>, %b: tensor<3x1xui8>, %s: tensor<f32>, %t: tensor<f32>, %z: tensor<ui8>) -> tensor<3x4xui8> {
  %none = onnx.NoValue
  %y = onnx.com.microsoft.QLinearAdd %a, %s, %z, %b, %t, %none, %t, %z : (tensor<3x4xui8>, tensor<f32>, tensor<ui8>, tensor<3x1xui8>, tensor<f32>, none, tensor<f32>, tensor<ui8>) -> tensor<3x4xui8>
  return %y : tensor<3x4xui8>
}

// Numbers of four bits that are packed become bytes, around 0, and stay integers: the scale of each block stands beside
// them.

// CHECK-LABEL: func.func @blocks
// CHECK-DAG:     %[[SCALES:.*]] = graph.reshape %s : tensor<2x1xf32> -> tensor<2x1x1xf32>
// CHECK-DAG:     %[[NUMBERS:.*]] = graph.constant dense<{{\[\[\[}}-7, -6, -5, 0, 7, -8,
// CHECK:         graph.dequantize %[[NUMBERS]], %[[SCALES]], %{{.*}} : tensor<2x1x16xi8>, tensor<2x1x1xf32>, tensor<i8> -> tensor<2x1x16xf32>
// CHECK:         %y = graph.matmul %x, %{{.*}} : tensor<3x16xf32>, tensor<16x2xf32> -> tensor<3x2xf32>
func.func @blocks(%x: tensor<3x16xf32>, %s: tensor<2x1xf32>) -> tensor<3x2xf32> {
  %w = onnx.Constant {value = dense<[[[33, 131, 15, 0, 0, 0, 0, 0]], [[1, 2, 3, 4, 5, 6, 7, 8]]]> : tensor<2x1x8xui8>} : () -> tensor<2x1x8xui8>
  %y = onnx.com.microsoft.MatMulNBits %x, %w, %s {K = 16 : i64, N = 2 : i64, block_size = 16 : i64} : (tensor<3x16xf32>, tensor<2x1x8xui8>, tensor<2x1xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// Rows of prompts are the first ones of the cache; a later row is put where its batch ends.

// CHECK-LABEL: func.func @prompt
// CHECK-NOT:     graph.where
// CHECK:         graph.softmax %{{.*}} axis 4 : tensor<1x1x3x2x3xf32>
// CHECK:         return %{{.*}}, %{{.*}} : tensor<1x3x8xf32>, tensor<1x1x3x4xf32>
// CHECK-LABEL: func.func @step
// CHECK:         graph.compare ge
// CHECK:         graph.where %{{.*}}, %{{.*}}, %past : tensor<1x1x9x1xi1>, tensor<1x1x1x4xf32>, tensor<1x1x9x4xf32>
// CHECK:         graph.softmax %{{.*}} axis 4 : tensor<1x1x1x2x5xf32>
func.func @prompt(%q: tensor<1x3x8xf32>, %k: tensor<1x3x4xf32>, %last: tensor<1xi32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %none = onnx.NoValue
  %total = onnx.Constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %y, %keys = onnx.com.microsoft.GroupQueryAttention %q, %k, %k, %none, %none, %last, %total {num_heads = 2 : i64, kv_num_heads = 1 : i64, causal = 0 : i64} : (tensor<1x3x8xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>, none, none, tensor<1xi32>, tensor<i32>) -> (tensor<*xf32>, tensor<*xf32>)
  return %y, %keys : tensor<*xf32>, tensor<*xf32>
}
func.func @step(%q: tensor<1x1x8xf32>, %k: tensor<1x1x4xf32>, %past: tensor<1x1x9x4xf32>, %last: tensor<1xi32>) -> tensor<*xf32> {
  %total = onnx.Constant {value = dense<5> : tensor<i32>} : () -> tensor<i32>
  %y = onnx.com.microsoft.GroupQueryAttention %q, %k, %k, %past, %past, %last, %total {num_heads = 2 : i64, kv_num_heads = 1 : i64} : (tensor<1x1x8xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x9x4xf32>, tensor<1x1x9x4xf32>, tensor<1xi32>, tensor<i32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
