// RUN: mlc-opt %s --fuse | filecheck %s
// RUN: mlc-opt %s --fuse --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK
// NO-CHECK-EACH: the reference runs functions of one block only

// Ops of two blocks are not computed together.
// CHECK-LABEL: @blocks
// CHECK-NEXT: graph.exp
// CHECK: ^next:
// CHECK-NEXT: graph.neg
// REMARK: remark: graph.exp -> graph.neg: not fused: they are in different blocks
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32>
  cf.br ^next
^next:
  %1 = graph.neg %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
