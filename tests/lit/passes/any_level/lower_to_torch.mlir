// REQUIRES: torch
// RUN: mlc-opt %s --lower-to-graph | filecheck %s --check-prefix=GRAPH
// RUN: mlc-opt %s --lower-to-tensor | filecheck %s --check-prefix=TENSOR
// RUN: mlc-opt %s --lower-to-loops | filecheck %s --check-prefix=LOOP
// RUN: mlc-opt %s --lower-to-llvm | filecheck %s --check-prefix=LLVM

// GRAPH-LABEL: func.func @aten
// GRAPH-NOT:     aten.
// GRAPH:         graph.relu
// TENSOR-LABEL: func.func private @relu(
// TENSOR:         tensor.map
// LOOP-LABEL:   func.func private @relu(
// LOOP:           loop.store
// LLVM-LABEL:   llvm.func {{.*}} @relu(
// LLVM:           llvm.store
func.func @aten(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
