// RUN: not mlc-opt %s --convert-onnx-to-graph 2>&1 | filecheck %s

// What nodes of these operators have to fit is said with what was found.

// CHECK: error: Det (version 22): x has shape [2, 9], whose last two dims are not a square matrix
// CHECK: error: DeformConv (version 22): offsets [1, 8, 4, 4] where the windows of 1 groups of channels have [1, 8, 3, 3]
// CHECK: error: ai.onnx.preview.FlexAttention (version 1): Q has 3 heads, which is not a multiple of the 2 of K and V
// CHECK: error: ai.onnx.preview.FlexAttention (version 1): its graph 'score_mod' makes tensor<1x2x4xf32> of tensor<1x2x4x4xf32>; required: the same type
// CHECK: error: TfIdfVectorizer (version 9): ngram_counts [0, 2] do not divide a pool of 3 words into n-grams
// CHECK: error: TfIdfVectorizer (version 9): the elements of 'pool_strings' are strings, with which mlc does not compute; let the model have integers in their place, and look the strings up outside
// CHECK: error: ai.onnx.ml.LabelEncoder (version 4): the elements of 'keys_strings' are strings, with which mlc does not compute
// CHECK: error: ai.onnx.ml.LabelEncoder (version 4): it has 2 keys and 1 values
// CHECK: error: ai.onnx.preview.training.Momentum (version 1): 2 tensors and 2 results; for each trained tensor there are 3 and 2
func.func @main(%x: tensor<2x9xf32>, %image: tensor<1x1x4x4xf32>, %w: tensor<1x1x2x2xf32>, %offsets: tensor<1x8x4x4xf32>, %q: tensor<1x3x4x8xf32>, %k: tensor<1x2x4x8xf32>, %words: tensor<5xi64>, %rate: tensor<f32>, %step: tensor<i64>) {
  %det = onnx.Det %x : (tensor<2x9xf32>) -> tensor<*xf32>
  %conv = onnx.DeformConv %image, %w, %offsets : (tensor<1x1x4x4xf32>, tensor<1x1x2x2xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>
  %heads = onnx.ai.onnx.preview.FlexAttention %q, %k, %k : (tensor<1x3x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<*xf32>
  %shrunk = onnx.ai.onnx.preview.FlexAttention %k, %k, %k score_mod {
  ^bb0(%scores: tensor<*xf32>):
    %axis = onnx.Constant {value_ints = array<i64: 3>} : () -> tensor<1xi64>
    %sum = onnx.ReduceSum %scores, %axis {keepdims = 0 : i64} : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
    onnx.Yield %sum : tensor<*xf32>
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<*xf32>
  %grams = onnx.TfIdfVectorizer %words {mode = "TF", min_gram_length = 1 : i64, max_gram_length = 2 : i64, max_skip_count = 0 : i64, pool_int64s = array<i64: 1, 2, 3>, ngram_counts = array<i64: 0, 2>, ngram_indexes = array<i64: 0, 1, 2>} : (tensor<5xi64>) -> tensor<*xf32>
  %texts = onnx.TfIdfVectorizer %words {mode = "TF", min_gram_length = 1 : i64, max_gram_length = 1 : i64, max_skip_count = 0 : i64, pool_strings = ["a", "b"], ngram_counts = array<i64: 0>, ngram_indexes = array<i64: 0, 1>} : (tensor<5xi64>) -> tensor<*xf32>
  %names = onnx.ai.onnx.ml.LabelEncoder %words {keys_strings = ["a", "b"], values_int64s = array<i64: 1, 2>} : (tensor<5xi64>) -> tensor<*xi64>
  %labels = onnx.ai.onnx.ml.LabelEncoder %words {keys_int64s = array<i64: 1, 2>, values_int64s = array<i64: 1>} : (tensor<5xi64>) -> tensor<*xi64>
  %new, %velocity = onnx.ai.onnx.preview.training.Momentum %rate, %step, %x, %x {alpha = 0.9 : f32, beta = 0.9 : f32, mode = "standard", norm_coefficient = 0.0 : f32} : (tensor<f32>, tensor<i64>, tensor<2x9xf32>, tensor<2x9xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  return
}
