// RUN: mlc-opt %s --lower-to-tensor --collapse-dims --schedule="target=x86-64-v3" | filecheck %s

// One row times a matrix that is an argument: half pages of eight of its rows at a time.
// CHECK-LABEL: func.func private @row
// CHECK-SAME: schedule = #loop.schedule<[tile(n, 512), tile(k, 8), cache_write(k, ni), tile(ni, 32), tile(nii, 8), vectorize(niii, 8), unroll(nii), unroll(ki)]>
// A matrix that is known is packed, two rows of a panel at a time if no second cache holds it; several rows share what
// they read; a small one is in the first cache.
// CHECK-LABEL: func.func private @known
// CHECK-SAME: pack(
// CHECK-LABEL: func.func private @far_away
// CHECK-SAME: [tile(n, 32), split_reduction(k, 2), pack(b, n), vectorize(ni, 32)]
// CHECK-LABEL: func.func private @rows
// CHECK-NOT:   cache_write
// CHECK-LABEL: func.func private @small
// CHECK-NOT:   cache_write
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x300xf32>, %w: tensor<300x1000xf32>, %y: tensor<6x300xf32>, %v: tensor<70x100xf32>, %z: tensor<1x70xf32>,
               %q: tensor<1x4096xf32>)
    -> (tensor<1x1000xf32>, tensor<1x1000xf32>, tensor<1x1000xf32>, tensor<6x1000xf32>, tensor<1x100xf32>) {
  %0 = graph.fusion "row" (%a = %x, %b = %w) : (tensor<1x300xf32>, tensor<300x1000xf32>) -> tensor<1x1000xf32> {
    %r = graph.matmul %a, %b : tensor<1x300xf32>, tensor<300x1000xf32> -> tensor<1x1000xf32>
    graph.yield %r : tensor<1x1000xf32>
  }
  %c = graph.constant dense<0.5> : tensor<300x1000xf32>
  %1 = graph.fusion "known" (%a = %x, %b = %c) : (tensor<1x300xf32>, tensor<300x1000xf32>) -> tensor<1x1000xf32> {
    %r = graph.matmul %a, %b : tensor<1x300xf32>, tensor<300x1000xf32> -> tensor<1x1000xf32>
    graph.yield %r : tensor<1x1000xf32>
  }
  %d = graph.constant dense<0.5> : tensor<4096x1000xf32>
  %4 = graph.fusion "far_away" (%a = %q, %b = %d) : (tensor<1x4096xf32>, tensor<4096x1000xf32>) -> tensor<1x1000xf32> {
    %r = graph.matmul %a, %b : tensor<1x4096xf32>, tensor<4096x1000xf32> -> tensor<1x1000xf32>
    graph.yield %r : tensor<1x1000xf32>
  }
  %2 = graph.fusion "rows" (%a = %y, %b = %w) : (tensor<6x300xf32>, tensor<300x1000xf32>) -> tensor<6x1000xf32> {
    %r = graph.matmul %a, %b : tensor<6x300xf32>, tensor<300x1000xf32> -> tensor<6x1000xf32>
    graph.yield %r : tensor<6x1000xf32>
  }
  %3 = graph.fusion "small" (%a = %z, %b = %v) : (tensor<1x70xf32>, tensor<70x100xf32>) -> tensor<1x100xf32> {
    %r = graph.matmul %a, %b : tensor<1x70xf32>, tensor<70x100xf32> -> tensor<1x100xf32>
    graph.yield %r : tensor<1x100xf32>
  }
  return %0, %1, %4, %2, %3 : tensor<1x1000xf32>, tensor<1x1000xf32>, tensor<1x1000xf32>, tensor<6x1000xf32>, tensor<1x100xf32>
}
