// RUN: mlc-opt %s --lower-to-tensor --unify-dims --schedule="target=x86-64-v4 estimates=false" | filecheck %s

// Two rows of seven vectors are fewer than can be on their way: each pass goes over all rows.
// CHECK-LABEL: func.func private @short
// CHECK-SAME: schedule = #loop.schedule<[vectorize_reduction(k, 64), tile(n, 64), tile(ni, 16), vectorize(nii, 16), unroll(ni), tile(m, 2), unroll(mi)]>
// CHECK-LABEL: func.func private @norm
// CHECK-SAME: schedule = #loop.schedule<[vectorize_reduction(k, 16), tile(n, 64)
// Eight vectors are enough.
// CHECK-LABEL: func.func private @long
// CHECK-SAME: schedule = #loop.schedule<[fuse(m), reuse_result(n), vectorize_reduction(k, 64)
// So many short rows leave more than the second cache holds.
// CHECK-LABEL: func.func private @many
// CHECK-SAME: schedule = #loop.schedule<[fuse(m), reuse_result(n), vectorize_reduction(k, 16)
func.func @main(%x: tensor<300x100xf32>, %y: tensor<40x20xf32>, %s: tensor<20xf32>, %l: tensor<64x128xf32>, %z: tensor<40000x16xf32>)
    -> (tensor<300x100xf32>, tensor<40x20xf32>, tensor<64x128xf32>, tensor<40000x16xf32>) {
  %0 = graph.fusion "short" (%a = %x) : (tensor<300x100xf32>) -> tensor<300x100xf32> {
    %r = graph.softmax %a axis 1 : tensor<300x100xf32>
    graph.yield %r : tensor<300x100xf32>
  }
  %1 = graph.fusion "norm" (%a = %y, %b = %s) : (tensor<40x20xf32>, tensor<20xf32>) -> tensor<40x20xf32> {
    %r = graph.layer_norm %a, %b, %b axis 1 epsilon 1.0e-05
        : tensor<40x20xf32>, tensor<20xf32>, tensor<20xf32> -> tensor<40x20xf32>
    graph.yield %r : tensor<40x20xf32>
  }
  %2 = graph.fusion "long" (%a = %l) : (tensor<64x128xf32>) -> tensor<64x128xf32> {
    %r = graph.softmax %a axis 1 : tensor<64x128xf32>
    graph.yield %r : tensor<64x128xf32>
  }
  %3 = graph.fusion "many" (%a = %z) : (tensor<40000x16xf32>) -> tensor<40000x16xf32> {
    %r = graph.softmax %a axis 1 : tensor<40000x16xf32>
    graph.yield %r : tensor<40000x16xf32>
  }
  return %0, %1, %2, %3 : tensor<300x100xf32>, tensor<40x20xf32>, tensor<64x128xf32>, tensor<40000x16xf32>
}
