// RUN: not mlc-opt %s --convert-onnx-to-graph 2>&1 | filecheck %s

// What mlc does not take of the operators of ONNX Runtime, and what does not fit.

// CHECK: error: com.microsoft.QLinearAdd (version 1): input 'B_scale' is missing
// CHECK: error: com.microsoft.QGemm (version 1): only one of 'y_scale' and 'y_zero_point' is there; required: both or none
// CHECK: error: com.microsoft.QLinearConcat (version 1): 2 inputs follow 'Y_zero_point'; required: a tensor, a scale and a zero point of each
// CHECK: error: com.microsoft.MatMulNBits (version 1): attribute 'bits' is 3; mlc knows 2, 4 and 8
// CHECK: error: com.microsoft.MatMulNBits (version 1): the weights are packed for one kind of GPU (weight_prepacked); required: 0
// CHECK: error: com.microsoft.FusedConv (version 1): activation 'Clip' has numbers [1.0]; required: the least and the largest
// CHECK: error: com.microsoft.FusedGemm (version 1): activation 'Mystery' is not known; mlc knows relu
// CHECK: error: com.microsoft.Attention (version 1): attribute 'do_rotary' is 1; mlc knows 0
// CHECK: error: com.microsoft.Attention (version 1): a mask of shape [7]; required: [1], [2], [1, 3] or [1, 3, 3]
// CHECK: error: com.microsoft.Attention (version 1): 24 columns of weights are not those of queries, keys and values, [8, 8, 4]
// CHECK: error: com.microsoft.Attention (version 1): 8 columns are not those of 3 heads of one size
// CHECK: error: com.microsoft.MultiHeadAttention (version 1): input 'cache_indirection' is there; mlc keeps no buffers of keys and values
// CHECK: error: com.microsoft.RotaryEmbedding (version 1): cosines [1, 1, 3, 8] and sines [1, 1, 3, 8] do not fit rows of 8 elements, which are pairs
// CHECK: error: com.microsoft.GroupQueryAttention (version 1): 'total_sequence_length'
// CHECK: error: com.microsoft.GroupQueryAttention (version 1): num_heads is 2, which is not a multiple of kv_num_heads, 3
// CHECK: error: com.microsoft.CDist (version 1): attribute 'metric' is 'cosine'; mlc knows sqeuclidean, euclidean
func.func @main(%q: tensor<3x4xui8>, %s: tensor<f32>, %z: tensor<ui8>, %x: tensor<1x3x8xf32>, %w: tensor<8x24xf32>, %b: tensor<2x1x8xui8>, %t: tensor<2x1xf32>, %image: tensor<1x1x4x4xf32>, %a: tensor<3x16xf32>, %mask: tensor<7xi32>, %beams: tensor<1x1x3xi32>, %at: tensor<1x3xi64>, %table: tensor<9x8xf32>, %last: tensor<1xi32>, %total: tensor<i32>) {
  %none = onnx.NoValue
  %sum = onnx.com.microsoft.QLinearAdd %q, %s, %z, %q, %none, %z, %s, %z : (tensor<3x4xui8>, tensor<f32>, tensor<ui8>, tensor<3x4xui8>, none, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  %product = onnx.com.microsoft.QGemm %q, %s, %z, %q, %s, %z, %none, %s {transB = 1 : i64} : (tensor<3x4xui8>, tensor<f32>, tensor<ui8>, tensor<3x4xui8>, tensor<f32>, tensor<ui8>, none, tensor<f32>) -> tensor<*xf32>
  %joined = onnx.com.microsoft.QLinearConcat %s, %z, %q, %s {axis = 0 : i64} : (tensor<f32>, tensor<ui8>, tensor<3x4xui8>, tensor<f32>) -> tensor<*xui8>
  %bits = onnx.com.microsoft.MatMulNBits %a, %b, %t {K = 16 : i64, N = 2 : i64, block_size = 16 : i64, bits = 3 : i64} : (tensor<3x16xf32>, tensor<2x1x8xui8>, tensor<2x1xf32>) -> tensor<*xf32>
  %packed = onnx.com.microsoft.MatMulNBits %a, %b, %t {K = 16 : i64, N = 2 : i64, block_size = 16 : i64, weight_prepacked = 1 : i64} : (tensor<3x16xf32>, tensor<2x1x8xui8>, tensor<2x1xf32>) -> tensor<*xf32>
  %conv = onnx.com.microsoft.FusedConv %image, %image {activation = "Clip", activation_params = [1.0 : f32]} : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<*xf32>
  %gemm = onnx.com.microsoft.FusedGemm %table, %w {activation = "Mystery"} : (tensor<9x8xf32>, tensor<8x24xf32>) -> tensor<*xf32>
  %turned = onnx.com.microsoft.Attention %x, %w {num_heads = 2 : i64, do_rotary = 1 : i64} : (tensor<1x3x8xf32>, tensor<8x24xf32>) -> tensor<*xf32>
  %masked = onnx.com.microsoft.Attention %x, %w, %none, %mask {num_heads = 2 : i64} : (tensor<1x3x8xf32>, tensor<8x24xf32>, none, tensor<7xi32>) -> tensor<*xf32>
  %sized = onnx.com.microsoft.Attention %x, %w {num_heads = 2 : i64, qkv_hidden_sizes = array<i64: 8, 8, 4>} : (tensor<1x3x8xf32>, tensor<8x24xf32>) -> tensor<*xf32>
  %three = onnx.com.microsoft.Attention %x, %w {num_heads = 3 : i64} : (tensor<1x3x8xf32>, tensor<8x24xf32>) -> tensor<*xf32>
  %beam = onnx.com.microsoft.MultiHeadAttention %x, %x, %x, %none, %none, %none, %none, %none, %none, %beams {num_heads = 2 : i64} : (tensor<1x3x8xf32>, tensor<1x3x8xf32>, tensor<1x3x8xf32>, none, none, none, none, none, none, tensor<1x1x3xi32>) -> tensor<*xf32>
  %rotary = onnx.com.microsoft.RotaryEmbedding %x, %at, %table, %table {num_heads = 1 : i64} : (tensor<1x3x8xf32>, tensor<1x3xi64>, tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<*xf32>
  %open = onnx.com.microsoft.GroupQueryAttention %x, %x, %x, %none, %none, %last, %total {num_heads = 2 : i64, kv_num_heads = 2 : i64} : (tensor<1x3x8xf32>, tensor<1x3x8xf32>, tensor<1x3x8xf32>, none, none, tensor<1xi32>, tensor<i32>) -> tensor<*xf32>
  %shared = onnx.com.microsoft.GroupQueryAttention %x, %x, %x, %none, %none, %last, %total {num_heads = 2 : i64, kv_num_heads = 3 : i64} : (tensor<1x3x8xf32>, tensor<1x3x8xf32>, tensor<1x3x8xf32>, none, none, tensor<1xi32>, tensor<i32>) -> tensor<*xf32>
  %apart = onnx.com.microsoft.CDist %table, %table {metric = "cosine"} : (tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<*xf32>
  return
}
