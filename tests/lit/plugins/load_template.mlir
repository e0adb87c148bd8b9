// RUN: mlc-opt --load-pass %S/Inputs/short_rows.py %s --schedule=target=x86-64-v3 | filecheck %s
// RUN: mlc-opt %s --schedule=target=x86-64-v3 | filecheck %s --check-prefix=OWN

// A kernel for which the plugin has candidates is its own; all others are left to the templates of mlc.
// CHECK: @short{{.*}}#loop.schedule<[vectorize(n, 8), unroll(m)]>
// CHECK: @long{{.*}}#loop.schedule<[tile(n, 32), tile(ni, 8), vectorize(nii, 8), unroll(ni)]>
// OWN: @short{{.*}}#loop.schedule<[tile(n, 32), tile(ni, 8), vectorize(nii, 8), unroll(ni)]>

func.func private @short(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tensor.map %x[m, n] over (m: 4, n: 8) : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    tensor.yield %b : f32
  }
  return %0 : tensor<4x8xf32>
}

func.func private @long(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = tensor.map %x[m, n] over (m: 4, n: 16) : tensor<4x16xf32> -> tensor<4x16xf32> {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    tensor.yield %b : f32
  }
  return %0 : tensor<4x16xf32>
}
