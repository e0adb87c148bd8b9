// RUN: mlc-opt --fuse=max-ops=2 --remarks %s 2>&1 | filecheck %s

// CHECK: graph.exp -> graph.sin: fused into exp_sin
// CHECK: graph.sin -> graph.cos: not fused: more than 2 ops
// CHECK: graph.cos -> graph.tanh: fused into cos_tanh
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32>
  %1 = graph.sin %0 : tensor<4xf32>
  %2 = graph.cos %1 : tensor<4xf32>
  %3 = graph.tanh %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
