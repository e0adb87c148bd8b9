// RUN: mlc-opt %s --lower-to-tensor --schedule="target=x86-64-v3" | filecheck %s

// Of many rows, sums of floats are added up in blocks, which start from 0.
// CHECK-LABEL: func.func private @sum
// CHECK-SAME: tile(n, 1024), blocked_summation(k, 2048), tile(ki, 8), cache_write(k, ni), cache_write(ki, ni),
// No error of another kind of reduction piles up, nor of a sum of integers: there are no blocks, nor loops over them.
// CHECK-LABEL: func.func private @most
// CHECK-SAME: tile(n, 1024), tile(k, 8), cache_write(k, ni), tile(ni,
// CHECK-LABEL: func.func private @product
// CHECK-SAME: tile(n, 1024), tile(k, 8), cache_write(k, ni), tile(ni,
// CHECK-LABEL: func.func private @count
// CHECK-SAME: tile(n, 1024), tile(k, 8), cache_write(k, ni), tile(ni,
func.func @main(%x: tensor<5000x64xf32>, %c: tensor<5000x64xi32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xi32>) {
  %0 = graph.fusion "sum" (%a = %x) : (tensor<5000x64xf32>) -> tensor<64xf32> {
    %r = graph.reduce sum %a axes [0] : tensor<5000x64xf32> -> tensor<64xf32>
    graph.yield %r : tensor<64xf32>
  }
  %1 = graph.fusion "most" (%a = %x) : (tensor<5000x64xf32>) -> tensor<64xf32> {
    %r = graph.reduce max %a axes [0] : tensor<5000x64xf32> -> tensor<64xf32>
    graph.yield %r : tensor<64xf32>
  }
  %2 = graph.fusion "product" (%a = %x) : (tensor<5000x64xf32>) -> tensor<64xf32> {
    %r = graph.reduce prod %a axes [0] : tensor<5000x64xf32> -> tensor<64xf32>
    graph.yield %r : tensor<64xf32>
  }
  %3 = graph.fusion "count" (%a = %c) : (tensor<5000x64xi32>) -> tensor<64xi32> {
    %r = graph.reduce sum %a axes [0] : tensor<5000x64xi32> -> tensor<64xi32>
    graph.yield %r : tensor<64xi32>
  }
  return %0, %1, %2, %3 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xi32>
}
