// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @numbers
func.func @numbers(%x: tensor<2x3xf32>, %i: tensor<4xi64>) {
  // CHECK: graph.neg %x : tensor<2x3xf32>
  %0 = graph.neg %x : tensor<2x3xf32>
  // CHECK: graph.abs %i : tensor<4xi64>
  %1 = graph.abs %i : tensor<4xi64>
  // CHECK: graph.relu %x : tensor<2x3xf32>
  %2 = graph.relu %x : tensor<2x3xf32>
  // CHECK: graph.sign %i : tensor<4xi64>
  %3 = graph.sign %i : tensor<4xi64>
  return
}

// CHECK-LABEL: @floats
func.func @floats(%x: tensor<2x3xf64>) {
  // CHECK: graph.exp %x : tensor<2x3xf64>
  %0 = graph.exp %x : tensor<2x3xf64>
  // CHECK: graph.log %x
  %1 = graph.log %x : tensor<2x3xf64>
  // CHECK: graph.sqrt %x
  %2 = graph.sqrt %x : tensor<2x3xf64>
  // CHECK: graph.rsqrt %x
  %3 = graph.rsqrt %x : tensor<2x3xf64>
  // CHECK: graph.tanh %x
  %4 = graph.tanh %x : tensor<2x3xf64>
  // CHECK: graph.sigmoid %x
  %5 = graph.sigmoid %x : tensor<2x3xf64>
  // CHECK: graph.silu %x
  %silu = graph.silu %x : tensor<2x3xf64>
  // CHECK: graph.erf %x
  %6 = graph.erf %x : tensor<2x3xf64>
  // CHECK: graph.floor %x
  %7 = graph.floor %x : tensor<2x3xf64>
  // CHECK: graph.ceil %x
  %8 = graph.ceil %x : tensor<2x3xf64>
  // CHECK: graph.round %x
  %9 = graph.round %x : tensor<2x3xf64>
  // CHECK: graph.trunc %x
  %10 = graph.trunc %x : tensor<2x3xf64>
  // CHECK: graph.expm1 %x
  %expm1 = graph.expm1 %x : tensor<2x3xf64>
  // CHECK: graph.log1p %x
  %log1p = graph.log1p %x : tensor<2x3xf64>
  // CHECK: graph.gelu %x : tensor<2x3xf64>
  %11 = graph.gelu %x : tensor<2x3xf64>
  // CHECK: graph.gelu %x approximate "tanh" : tensor<2x3xf64>
  %12 = graph.gelu %x approximate "tanh" : tensor<2x3xf64>
  return
}

// CHECK-LABEL: @angles
func.func @angles(%x: tensor<4xf32>) {
  // CHECK: graph.sin %x : tensor<4xf32>
  %sin = graph.sin %x : tensor<4xf32>
  // CHECK: graph.cos %x : tensor<4xf32>
  %cos = graph.cos %x : tensor<4xf32>
  // CHECK: graph.tan %x : tensor<4xf32>
  %tan = graph.tan %x : tensor<4xf32>
  // CHECK: graph.asin %x : tensor<4xf32>
  %asin = graph.asin %x : tensor<4xf32>
  // CHECK: graph.acos %x : tensor<4xf32>
  %acos = graph.acos %x : tensor<4xf32>
  // CHECK: graph.atan %x : tensor<4xf32>
  %atan = graph.atan %x : tensor<4xf32>
  // CHECK: graph.sinh %x : tensor<4xf32>
  %sinh = graph.sinh %x : tensor<4xf32>
  // CHECK: graph.cosh %x : tensor<4xf32>
  %cosh = graph.cosh %x : tensor<4xf32>
  // CHECK: graph.asinh %x : tensor<4xf32>
  %asinh = graph.asinh %x : tensor<4xf32>
  // CHECK: graph.acosh %x : tensor<4xf32>
  %acosh = graph.acosh %x : tensor<4xf32>
  // CHECK: graph.atanh %x : tensor<4xf32>
  %atanh = graph.atanh %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @bits
func.func @bits(%x: tensor<2xi1>) {
  // CHECK: graph.not %x : tensor<2xi1>
  %0 = graph.not %x : tensor<2xi1>
  return
}
