// RUN: mlc-opt %s -O1 --target=znver4 --emit=mlir:llvm | filecheck %s

// A model looks at the extents that a call gives before it computes: outside of the range the result is -3.
// CHECK-LABEL: llvm.func @mlc_main(
// CHECK: %[[LEAST:.*]] = llvm.mlir.constant(1) : i64
// CHECK: %[[MOST:.*]] = llvm.mlir.constant(8) : i64
// CHECK: llvm.icmp "slt" %{{.*}}, %[[LEAST]] : i64
// CHECK: llvm.icmp "slt" %[[MOST]], %{{.*}} : i64
// CHECK: llvm.mlir.constant(-3 : i32)
// CHECK: llvm.cond_br
func.func @main(%x: tensor<8xf32> {mlc.extents = array<i64: 1>}, %n: tensor<i64> {mlc.range = array<i64: 1, 8>})
    -> tensor<8xf32> {
  %y = graph.relu %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
