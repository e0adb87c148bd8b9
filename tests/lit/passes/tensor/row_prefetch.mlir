// RUN: mlc-opt %s --lower-to-tensor --unify-dims --schedule="target=x86-64-v4 estimates=false" | filecheck %s

// The maximum waits for its rows, and the exponentials take long enough to bring the next two.
// CHECK-LABEL: func.func private @long
// CHECK-SAME: tile(m, 2), unroll(mi), prefetch_next(n, m)]>
// Two rows are done before two others could have come from the last cache.
// CHECK-LABEL: func.func private @short
// CHECK-SAME: tile(m, 2), unroll(mi)]>
// The first cache has no room for two rows beside the two that are worked on.
// CHECK-LABEL: func.func private @wide
// CHECK-SAME: unroll(mi)]>
// All rows are in the first cache, with the result.
// CHECK-LABEL: func.func private @small
// CHECK-SAME: unroll(mi)]>
// Statistics, then the result: the second pass asks for the rows that the first one of the next reads.
// CHECK-LABEL: func.func private @layer_norm
// CHECK-SAME: tile(m, 2), unroll(mi), prefetch_next(n, m)]>
// A sum reads its rows once.
// CHECK-LABEL: func.func private @sum
// CHECK-SAME: tile(m, 2), unroll(mi)]>
// What is read once is not asked for by who reads the exponentials of it.
// CHECK-LABEL: func.func private @once
// CHECK-SAME: fuse(m)
// CHECK-NOT: prefetch_next
// CHECK: return
func.func @main(%a: tensor<512x1024xf32>, %b: tensor<512x128xf32>, %c: tensor<64x4096xf32>, %d: tensor<4x512xf32>, %s: tensor<1024xf32>)
    -> (tensor<512x1024xf32>, tensor<512x128xf32>, tensor<64x4096xf32>, tensor<4x512xf32>, tensor<512x1024xf32>, tensor<512xf32>, tensor<512x1024xf32>) {
  %0 = graph.fusion "long" (%x = %a) : (tensor<512x1024xf32>) -> tensor<512x1024xf32> {
    %r = graph.softmax %x axis 1 : tensor<512x1024xf32>
    graph.yield %r : tensor<512x1024xf32>
  }
  %1 = graph.fusion "short" (%x = %b) : (tensor<512x128xf32>) -> tensor<512x128xf32> {
    %r = graph.softmax %x axis 1 : tensor<512x128xf32>
    graph.yield %r : tensor<512x128xf32>
  }
  %2 = graph.fusion "wide" (%x = %c) : (tensor<64x4096xf32>) -> tensor<64x4096xf32> {
    %r = graph.softmax %x axis 1 : tensor<64x4096xf32>
    graph.yield %r : tensor<64x4096xf32>
  }
  %3 = graph.fusion "small" (%x = %d) : (tensor<4x512xf32>) -> tensor<4x512xf32> {
    %r = graph.softmax %x axis 1 : tensor<4x512xf32>
    graph.yield %r : tensor<4x512xf32>
  }
  %4 = graph.fusion "layer_norm" (%x = %a, %w = %s) : (tensor<512x1024xf32>, tensor<1024xf32>) -> tensor<512x1024xf32> {
    %r = graph.layer_norm %x, %w, %w axis 1 epsilon 1.0e-05
        : tensor<512x1024xf32>, tensor<1024xf32>, tensor<1024xf32> -> tensor<512x1024xf32>
    graph.yield %r : tensor<512x1024xf32>
  }
  %5 = graph.fusion "sum" (%x = %a) : (tensor<512x1024xf32>) -> tensor<512xf32> {
    %r = graph.reduce sum %x axes [1] : tensor<512x1024xf32> -> tensor<512xf32>
    graph.yield %r : tensor<512xf32>
  }
  %6 = graph.fusion "once" (%x = %a) : (tensor<512x1024xf32>) -> tensor<512x1024xf32> {
    %e = graph.exp %x : tensor<512x1024xf32>
    %s0 = graph.reduce sum %e axes [1] keepdims : tensor<512x1024xf32> -> tensor<512x1xf32>
    %r = graph.div %e, %s0 : tensor<512x1024xf32>, tensor<512x1xf32> -> tensor<512x1024xf32>
    graph.yield %r : tensor<512x1024xf32>
  }
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<512x1024xf32>, tensor<512x128xf32>, tensor<64x4096xf32>, tensor<4x512xf32>, tensor<512x1024xf32>, tensor<512xf32>, tensor<512x1024xf32>
}
