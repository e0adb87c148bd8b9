// RUN: mlc-opt --load-dialect %S/Inputs/near.py %s --fuse --lower-to-tensor --fold-moves --schedule=target=x86-64-v3 --check-each --remarks 2>&1 | filecheck %s
// RUN: mlc-opt --load-dialect %S/Inputs/near.py %s --lower-to-tensor --lower-to-loops --check-each | filecheck %s --check-prefix=LOOPS

// Ops that no pass of mlc has heard of are fused, read through, lowered and scheduled for what they say of themselves.
// CHECK: remark: near.upside_down -> near.dot: fused into near_dot_relu
// CHECK: remark: near.dot -> graph.relu: fused into near_dot_relu
// CHECK: remark: near.squared -> graph.neg: fused into near_squared_neg
// CHECK: remark: near.squared -> near.dot: not fused: near.dot starts a kernel of its own

// A contraction gets the schedule of one: a register tile, and an operand that is packed.
// CHECK-LABEL: func.func private @near_dot_relu(
// CHECK-SAME: schedule = #loop.schedule<[interchange(n, m), tile(n, {{[0-9]+}}), pack(w, n)
// CHECK-NEXT: near.products %x[m * (-1) + 63, k], %w[n, k] over (m: 64, n: 32) reduce (k: 40)
// CHECK-LABEL: func.func private @near_squared_neg(
// CHECK: near.distances %x[m, k], %w[n, k] over (m: 64, n: 32) reduce (k: 40)
// LOOPS-NOT: near.
func.func @main(%x: tensor<64x40xf32>, %w: tensor<32x40xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %0 = near.upside_down %x : tensor<64x40xf32> -> tensor<64x40xf32>
  %1 = near.dot %0, %w : tensor<64x40xf32>, tensor<32x40xf32> -> tensor<64x32xf32>
  %2 = graph.relu %1 : tensor<64x32xf32>
  %3 = near.squared %x, %w : tensor<64x40xf32>, tensor<32x40xf32> -> tensor<64x32xf32>
  %4 = graph.neg %3 : tensor<64x32xf32>
  return %2, %4 : tensor<64x32xf32>, tensor<64x32xf32>
}

func.func @two_contractions(%x: tensor<32x40xf32>, %w: tensor<40x40xf32>) -> tensor<32x40xf32> {
  %0 = near.squared %x, %w : tensor<32x40xf32>, tensor<40x40xf32> -> tensor<32x40xf32>
  %1 = near.dot %0, %w : tensor<32x40xf32>, tensor<40x40xf32> -> tensor<32x40xf32>
  return %1 : tensor<32x40xf32>
}

// Their syntax is that of all structured ops.
// LOOPS-LABEL: func.func @structured(
func.func @structured(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>) -> tensor<4x6xf32> {
  %0 = near.products %x[m, k], %w[n, k] over (m: 4, n: 6) reduce (k: 8) {my.note = 1 : i32} : tensor<4x8xf32>, tensor<6x8xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
