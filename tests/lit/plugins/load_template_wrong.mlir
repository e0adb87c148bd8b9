// RUN: sed 's/kernel.lanes),), "rows/kernel.lanes), Unroll("zz")), "rows/' %S/Inputs/short_rows.py > %t.py
// RUN: mlc-opt --load-pass %t.py %s --schedule=target=x86-64-v3 --remarks 2>&1 >%t | filecheck %s
// RUN: filecheck %s --check-prefix=SCHEDULE < %t
// RUN: mlc explain %s short --load-pass %t.py --target=x86-64-v3 2>&1 | filecheck %s --check-prefix=EXPLAIN

// A candidate whose steps name a loop that is not there does not vanish without a word; the default stays.
// CHECK: remark: the candidate 'rows in a loop' is left out: schedule step 'unroll(zz)' names no loop of 'short', which has the loops
// EXPLAIN: warning: the candidate 'rows in a loop' is left out: schedule step 'unroll(zz)' names no loop of 'short'
// SCHEDULE: @short{{.*}}#loop.schedule<[vectorize(n, 8), unroll(m)]>
func.func private @short(%x: tensor<512x8xf32>, %b: tensor<512xf32>) -> tensor<512x8xf32> {
  %0 = tensor.map %x[m, n], %b[m] over (m: 512, n: 8) : tensor<512x8xf32>, tensor<512xf32> -> tensor<512x8xf32> {
  ^bb0(%a: f32, %c: f32):
    %d = arith.addf %a, %c : f32
    tensor.yield %d : f32
  }
  return %0 : tensor<512x8xf32>
}
func.func @main(%x: tensor<512x8xf32>, %b: tensor<512xf32>) -> tensor<512x8xf32> {
  %0 = func.call @short(%x, %b) : (tensor<512x8xf32>, tensor<512xf32>) -> tensor<512x8xf32>
  return %0 : tensor<512x8xf32>
}
