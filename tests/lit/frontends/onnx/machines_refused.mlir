// RUN: not mlc-opt %s --convert-onnx-to-graph 2>&1 | filecheck %s

// Trees and support vector machines whose attributes contradict one another.

// CHECK: error: ai.onnx.ml.TreeEnsemble (version 5): a node of a tree is followed by one that is not there
// CHECK: error: ai.onnx.ml.TreeEnsemble (version 5): a path through a tree has no end
// CHECK: error: ai.onnx.ml.TreeEnsemble (version 5): membership_values has 0 sets that end in NaN, 1 nodes ask for one
// CHECK: error: ai.onnx.ml.TreeEnsemble (version 5): a node asks for feature 3 of 2
// CHECK: error: ai.onnx.ml.TreeEnsemble (version 5): attribute 'post_transform' is 7; required: 0 to 4
// CHECK: error: ai.onnx.ml.SVMClassifier (version 1): it has 3 coefficients, 1 of rho and vectors of 3 classes; required for 3 classes: 6, 3 and 3
// CHECK: error: ai.onnx.ml.SVMRegressor (version 1): support_vectors has 3 numbers; 2 vectors of 2 features need 4
func.func @main(%x: tensor<5x2xf32>) {
  %a = onnx.ai.onnx.ml.TreeEnsemble %x {tree_roots = array<i64: 0>, n_targets = 1 : i64, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<1.0> : tensor<1xf32>, nodes_featureids = array<i64: 0>, nodes_truenodeids = array<i64: 0>, nodes_trueleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 4>, nodes_falseleafs = array<i64: 1>, leaf_weights = dense<1.0> : tensor<1xf32>, leaf_targetids = array<i64: 0>} : (tensor<5x2xf32>) -> tensor<*xf32>
  %b = onnx.ai.onnx.ml.TreeEnsemble %x {tree_roots = array<i64: 0>, n_targets = 1 : i64, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<1.0> : tensor<1xf32>, nodes_featureids = array<i64: 0>, nodes_truenodeids = array<i64: 0>, nodes_trueleafs = array<i64: 0>, nodes_falsenodeids = array<i64: 0>, nodes_falseleafs = array<i64: 1>, leaf_weights = dense<1.0> : tensor<1xf32>, leaf_targetids = array<i64: 0>} : (tensor<5x2xf32>) -> tensor<*xf32>
  %c = onnx.ai.onnx.ml.TreeEnsemble %x {tree_roots = array<i64: 0>, n_targets = 1 : i64, nodes_modes = dense<6> : tensor<1xui8>, nodes_splits = dense<1.0> : tensor<1xf32>, nodes_featureids = array<i64: 0>, nodes_truenodeids = array<i64: 0>, nodes_trueleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 0>, nodes_falseleafs = array<i64: 1>, leaf_weights = dense<1.0> : tensor<1xf32>, leaf_targetids = array<i64: 0>} : (tensor<5x2xf32>) -> tensor<*xf32>
  %d = onnx.ai.onnx.ml.TreeEnsemble %x {tree_roots = array<i64: 0>, n_targets = 1 : i64, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<1.0> : tensor<1xf32>, nodes_featureids = array<i64: 3>, nodes_truenodeids = array<i64: 0>, nodes_trueleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 0>, nodes_falseleafs = array<i64: 1>, leaf_weights = dense<1.0> : tensor<1xf32>, leaf_targetids = array<i64: 0>} : (tensor<5x2xf32>) -> tensor<*xf32>
  %e = onnx.ai.onnx.ml.TreeEnsemble %x {post_transform = 7 : i64, tree_roots = array<i64: 0>, n_targets = 1 : i64, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<1.0> : tensor<1xf32>, nodes_featureids = array<i64: 0>, nodes_truenodeids = array<i64: 0>, nodes_trueleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 0>, nodes_falseleafs = array<i64: 1>, leaf_weights = dense<1.0> : tensor<1xf32>, leaf_targetids = array<i64: 0>} : (tensor<5x2xf32>) -> tensor<*xf32>
  %label, %scores = onnx.ai.onnx.ml.SVMClassifier %x {classlabels_ints = array<i64: 0, 1, 2>, vectors_per_class = array<i64: 1, 1, 1>, coefficients = array<f32: 1.0, 2.0, 3.0>, rho = array<f32: 0.0>, kernel_type = "LINEAR"} : (tensor<5x2xf32>) -> (tensor<*xi64>, tensor<*xf32>)
  %score = onnx.ai.onnx.ml.SVMRegressor %x {n_supports = 2 : i64, coefficients = array<f32: 1.0, 2.0>, rho = array<f32: 0.0>, support_vectors = array<f32: 1.0, 2.0, 3.0>, kernel_type = "LINEAR"} : (tensor<5x2xf32>) -> tensor<*xf32>
  return
}
