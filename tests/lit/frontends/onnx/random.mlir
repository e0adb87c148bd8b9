// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// A seed, which is a float, is the key: 1.0 is 0x3f800000. A node without one has a key beyond those: 1 << 32, 2 << 32.
// CHECK-LABEL: func.func @keys
// CHECK: %[[K:.*]] = graph.constant dense<1065353216> : tensor<ui64>
// CHECK: graph.philox %{{.*}}, %[[K]], %{{.*}} -> tensor<600x500xui32>
// CHECK: %[[L:.*]] = graph.constant dense<4294967296> : tensor<ui64>
// CHECK: graph.philox %{{.*}}, %[[L]], %{{.*}} -> tensor<600x500xui32>
// CHECK: %[[M:.*]] = graph.constant dense<8589934592> : tensor<ui64>
// CHECK: graph.philox %{{.*}}, %[[M]], %{{.*}} -> tensor<600x500xui64>
func.func @keys() -> (tensor<600x500xf32>, tensor<600x500xf32>, tensor<600x500xf32>) {
  %a = onnx.RandomUniform {shape = [600 : i64, 500 : i64], seed = 1.0 : f32} : () -> tensor<600x500xf32>
  %b = onnx.RandomUniform {shape = [600 : i64, 500 : i64]} : () -> tensor<600x500xf32>
  %c = onnx.RandomNormal {shape = [600 : i64, 500 : i64]} : () -> tensor<600x500xf32>
  return %a, %b, %c : tensor<600x500xf32>, tensor<600x500xf32>, tensor<600x500xf32>
}

// Numbers that depend on nothing are computed now; those of a few elements are in the text.
// CHECK-LABEL: func.func @known
// CHECK-NEXT: %a = graph.constant dense<{{\[}}[-{{.*}}]]> : tensor<1x2xf64>
// CHECK-NEXT: return %a
func.func @known(%x: tensor<1x2xf64>) -> tensor<1x2xf64> {
  %a = onnx.RandomNormalLike %x {mean = -100.0 : f32, seed = 0.0 : f32} : (tensor<1x2xf64>) -> tensor<1x2xf64>
  return %a : tensor<1x2xf64>
}

// Probabilities are data; what they are compared with is not.
// CHECK-LABEL: func.func @bernoulli
// CHECK-NEXT: %[[U:.*]] = graph.constant
// CHECK-NEXT: %[[B:.*]] = graph.compare lt, %[[U]], %p : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xi1>
// CHECK-NEXT: graph.cast %[[B]] : tensor<1x2xi1> -> tensor<1x2xi32>
func.func @bernoulli(%p: tensor<1x2xf32>) -> tensor<1x2xi32> {
  %a = onnx.Bernoulli %p {dtype = 6 : i64} : (tensor<1x2xf32>) -> tensor<1x2xi32>
  return %a : tensor<1x2xi32>
}

// Each part of the sum of weights belongs to a class; the last sum of the loop is that of all.
// CHECK-LABEL: func.func @multinomial
// CHECK: graph.scan 5
// CHECK: graph.compare le
// CHECK: graph.reduce sum
// CHECK: -> tensor<2x7xi64>
func.func @multinomial(%x: tensor<2x5xf32>) -> tensor<2x7xi64> {
  %a = onnx.Multinomial %x {dtype = 7 : i64, sample_size = 7 : i64} : (tensor<2x5xf32>) -> tensor<2x7xi64>
  return %a : tensor<2x7xi64>
}

// What training drops is 0, and the rest is larger; nothing is dropped at inference, or with a ratio of 0.
// CHECK-LABEL: func.func @dropout
// CHECK: %[[MASK:.*]] = graph.constant dense<{{.*}}> : tensor<1x2xi1>
// CHECK: %[[FOUR:.*]] = graph.constant dense<4.000000e+00> : tensor<f32>
// CHECK: %[[L:.*]] = graph.mul %[[X:.*]], %[[FOUR]]
// CHECK: %[[Y:.*]] = graph.where %[[MASK]], %[[L]], %{{.*}} : tensor<1x2xi1>, tensor<1x2xf32>, tensor<f32> -> tensor<1x2xf32>
// CHECK: %[[ALL:.*]] = graph.constant dense<true> : tensor<1x2xi1>
// CHECK-NEXT: return %[[Y]], %[[MASK]], %[[X]], %[[ALL]], %[[X]]
func.func @dropout(%x: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xi1>, tensor<1x2xf32>, tensor<1x2xi1>, tensor<1x2xf32>) {
  %true = onnx.Constant {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %ratio = onnx.Constant {value = dense<0.75> : tensor<f32>} : () -> tensor<f32>
  %none = onnx.Constant {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %a, %m = onnx.Dropout %x, %ratio, %true {seed = 3 : i64} : (tensor<1x2xf32>, tensor<f32>, tensor<i1>) -> (tensor<1x2xf32>, tensor<1x2xi1>)
  %b, %n = onnx.Dropout %x, %none, %true : (tensor<1x2xf32>, tensor<f32>, tensor<i1>) -> (tensor<1x2xf32>, tensor<1x2xi1>)
  %c = onnx.Dropout %x, %ratio : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  return %a, %m, %b, %n, %c : tensor<1x2xf32>, tensor<1x2xi1>, tensor<1x2xf32>, tensor<1x2xi1>, tensor<1x2xf32>
}
