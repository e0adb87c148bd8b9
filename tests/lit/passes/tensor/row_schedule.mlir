// RUN: mlc-opt %s --lower-to-tensor --unify-dims --schedule="target=x86-64-v4 estimates=false" | filecheck %s
// RUN: mlc-opt %s --lower-to-tensor --unify-dims --schedule="target=neoverse-n1 estimates=false" | filecheck %s --check-prefix=ARM

// All passes over two rows before the next ones.
// CHECK-LABEL: func.func private @softmax
// CHECK-SAME: schedule = #loop.schedule<[fuse(b), fuse(m), reuse_result(n), vectorize_reduction(k, 64), tile(n, 64), tile(ni, 16), vectorize(nii, 16), unroll(ni), tile(m, 2), unroll(mi)]>
// Numbers of polynomials are operands in memory on x86; on ARM they take registers, which four vectors of two rows lack.
// ARM-LABEL: func.func private @softmax(
// There is time to bring the next two rows while a core without AVX-512 computes these exponentials.
// ARM-SAME: tile(n, 8), tile(ni, 4), vectorize(nii, 4), unroll(ni), tile(m, 2), unroll(mi), prefetch_next(n, m)]>
// CHECK-LABEL: func.func private @softmax_columns
// CHECK-SAME: schedule = #loop.schedule<[fuse(b), reuse_result(n), interchange(n, m), tile(n, 256), interchange(m, ni), fuse(n), tile(ni, 16), vectorize(nii, 16), unroll(ni)]>
// CHECK-LABEL: func.func private @layer_norm
// CHECK-SAME: schedule = #loop.schedule<[vectorize_reduction(k, 64), tile(n, 64), tile(ni, 16), vectorize(nii, 16), unroll(ni), tile(m, 2), unroll(mi)]>
// CHECK-LABEL: func.func private @rows
// CHECK-SAME: schedule = #loop.schedule<[vectorize_reduction(k, 64), tile(m, 2), unroll(mi)]>
// The last 8 columns fill no vector, but are added in the same loop as those before them.
// CHECK-LABEL: func.func private @columns
// CHECK-SAME: schedule = #loop.schedule<[tile(n, 256), tile(ni, 16), vectorize(nii, 16), unroll(ni), fuse(k), unroll(k)]>
// A window is straight-line code, for four rows of results at a time.
// CHECK-LABEL: func.func private @max_pool2d
// CHECK-SAME: schedule = #loop.schedule<[tile(n, 16), vectorize(ni, 16), tile(y, 4), unroll(yi), llvm_unroll(kx, 3), llvm_unroll(ky, 3)]>
func.func @main(%x: tensor<2x64x128xf32>, %y: tensor<8x72xf32>, %s: tensor<72xf32>, %i: tensor<1x9x9x64xf32>)
    -> (tensor<2x64x128xf32>, tensor<2x64x128xf32>, tensor<8x72xf32>, tensor<2x64xf32>, tensor<72xf32>, tensor<1x4x4x64xf32>) {
  %0 = graph.fusion "softmax" (%a = %x) : (tensor<2x64x128xf32>) -> tensor<2x64x128xf32> {
    %r = graph.softmax %a axis 2 : tensor<2x64x128xf32>
    graph.yield %r : tensor<2x64x128xf32>
  }
  %1 = graph.fusion "softmax_columns" (%a = %x) : (tensor<2x64x128xf32>) -> tensor<2x64x128xf32> {
    %r = graph.softmax %a axis 1 : tensor<2x64x128xf32>
    graph.yield %r : tensor<2x64x128xf32>
  }
  %2 = graph.fusion "layer_norm" (%a = %y, %b = %s) : (tensor<8x72xf32>, tensor<72xf32>) -> tensor<8x72xf32> {
    %r = graph.layer_norm %a, %b, %b axis 1 epsilon 1.0e-05
        : tensor<8x72xf32>, tensor<72xf32>, tensor<72xf32> -> tensor<8x72xf32>
    graph.yield %r : tensor<8x72xf32>
  }
  %3 = graph.fusion "rows" (%a = %x) : (tensor<2x64x128xf32>) -> tensor<2x64xf32> {
    %r = graph.reduce sum %a axes [2] : tensor<2x64x128xf32> -> tensor<2x64xf32>
    graph.yield %r : tensor<2x64xf32>
  }
  %4 = graph.fusion "columns" (%a = %y) : (tensor<8x72xf32>) -> tensor<72xf32> {
    %r = graph.reduce sum %a axes [0] : tensor<8x72xf32> -> tensor<72xf32>
    graph.yield %r : tensor<72xf32>
  }
  %5 = graph.fusion "max_pool2d" (%a = %i) : (tensor<1x9x9x64xf32>) -> tensor<1x4x4x64xf32> {
    %r = graph.max_pool2d %a {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, layout = "NHWC"}
        : tensor<1x9x9x64xf32> -> tensor<1x4x4x64xf32>
    graph.yield %r : tensor<1x4x4x64xf32>
  }
  return %0, %1, %2, %3, %4, %5 : tensor<2x64x128xf32>, tensor<2x64x128xf32>, tensor<8x72xf32>, tensor<2x64xf32>, tensor<72xf32>, tensor<1x4x4x64xf32>
}
