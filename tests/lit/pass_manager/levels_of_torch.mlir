// REQUIRES: torch
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --convert-graph-to-tensor
// RUN: not mlc-opt %s --split-input-file --convert-tensor-to-loop 2>&1 | filecheck %s --check-prefix=LOOPS
// RUN: not mlc-opt %s --split-input-file --convert-loop-to-llvm 2>&1 | filecheck %s --check-prefix=LLVM
// RUN: not mlc-opt %s --split-input-file --convert-tensor-to-linalg 2>&1 | filecheck %s --check-prefix=LINALG
// RUN: not mlc-opt %s --split-input-file --convert-loop-to-scf 2>&1 | filecheck %s --check-prefix=SCF

// A model that comes from elsewhere is above the graph level: what has to run first is the conversion of its source.
// What the messages advise works.
// RUN: mlc-opt %s --split-input-file --lower-to-loops --lower-to-llvm | filecheck %s --check-prefix=DONE

// LOOPS: error: convert-tensor-to-loop: found aten.relu, of the aten level; run --lower-to-tensor first
// LLVM: error: convert-loop-to-llvm: found aten.relu, of the aten level; run --lower-to-loops --expand-math --plan-memory first
// LINALG: error: convert-tensor-to-linalg: found aten.relu, of the aten level; run --lower-to-tensor first
// SCF: error: convert-loop-to-scf: found aten.relu, of the aten level; run --lower-to-loops first
// DONE: llvm.func @mlc_main
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{convert-graph-to-tensor: found aten.relu, of the aten level; run --lower-to-graph first}}
  %0 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
