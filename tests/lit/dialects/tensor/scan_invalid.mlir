// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{tensor.scan: the body does not end in tensor.yield (scan_c4)}}
  %0 = tensor.scan 4 carry (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    ub.unreachable
  }
  return
}

// -----

func.func @one_value(%x: tensor<4xf32>) {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    // expected-error @+1 {{tensor.yield: yields one value, got 2}}
    tensor.yield %a, %a : f32, f32
  }
  return
}
