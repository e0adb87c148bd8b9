// REQUIRES: torch
// RUN: mlc-opt %s --convert-aten-to-graph | filecheck %s

// Gradients of a greatest pixel go to its place, those of a mean to all pixels of the window.

// CHECK-LABEL: func.func @pool
// CHECK: graph.scatter_nd add %{{.*}}, %{{.*}}, %{{.*}} axes [1] own [0]
// CHECK: %[[QUARTER:.*]] = graph.constant dense<2.500000e-01>
// CHECK-NEXT: %[[SHARE:.*]] = graph.mul %g, %[[QUARTER]]
// CHECK: graph.broadcast %{{.*}} : tensor<1x2x2x1x2x1xf32> -> tensor<1x2x2x2x2x2xf32>
func.func @pool(%g: tensor<1x2x2x2xf32>, %x: tensor<1x2x4x4xf32>, %i: tensor<1x2x2x2xi64>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %a = aten.max_pool2d_with_indices_backward %g, %x, %i {kernel_size = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, ceil_mode = false} : (tensor<1x2x2x2xf32>, tensor<1x2x4x4xf32>, tensor<1x2x2x2xi64>) -> tensor<1x2x4x4xf32>
  %b = aten.avg_pool2d_backward %g, %x {kernel_size = array<i64: 2, 2>, stride = array<i64>, padding = array<i64: 0, 0>, ceil_mode = false, count_include_pad = true, divisor_override} : (tensor<1x2x2x2xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %a, %b : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// Attention that sees what came before only.

// CHECK-LABEL: func.func @attention
// CHECK: %[[SCORES:.*]] = graph.matmul %q
// CHECK: %[[SEEN:.*]] = graph.where %{{.*}}, %{{.*}}, %{{.*}}
// CHECK-NEXT: %[[WEIGHTS:.*]] = graph.softmax %[[SEEN]] axis 3
// CHECK-NEXT: %y = graph.matmul %[[WEIGHTS]], %k
func.func @attention(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %y, %l = aten._scaled_dot_product_flash_attention_for_cpu %q, %k, %k {aten.operands = array<i64: 1, 1, 1, 0>, is_causal = true, scale = 0.5 : f64} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4xf32>)
  return %y : tensor<1x2x4x8xf32>
}
