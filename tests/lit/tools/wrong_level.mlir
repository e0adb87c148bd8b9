// RUN: mlc-opt %s --apply-schedule 2>&1 | filecheck %s --check-prefix=EARLY
// RUN: mlc-opt %s --tile=sizes=4 --lower-to-tensor --lower-to-loops 2>&1 | filecheck %s --check-prefix=TILE
// RUN: mlc-opt %s --lower-to-tensor --fuse 2>&1 | filecheck %s --check-prefix=LATE
// RUN: mlc-opt %s -O3 --tile=sizes=4 2>&1 | filecheck %s --check-prefix=LLVM

// Nothing to tell: a pass that works at any level, a module that is lowered already, passes with nothing to do.
// RUN: mlc-opt %s --cse --lower-to-tensor --lower-to-loops --dce --partition-loops=loops=n --fold-storage --canonicalize 2>&1 | filecheck %s --check-prefix=NONE
// RUN: mlc-opt %s --lower-to-tensor --lower-to-tensor --lower-to-loops --lower-to-tensor 2>&1 | filecheck %s --check-prefix=NONE
// RUN: mlc-opt %s --lower-to-tensor --lower-to-loops -O3 2>&1 | filecheck %s --check-prefix=NONE
// RUN: mlc-opt %s --convert-onnx-to-graph --convert-aten-to-graph --convert-stablehlo-to-graph 2>&1 | filecheck %s --check-prefix=NONE

// NONE-NOT: changed nothing
// EARLY: note: --apply-schedule changed nothing: it works at the loop level, and the module is at the graph level; run --lower-to-loops first
// TILE: note: --tile changed nothing: it works at the loop level
// LATE: note: --fuse changed nothing: it works at the graph level, and the module is at the tensor level; it has to run before --lower-to-tensor
// LLVM: note: --tile changed nothing: it works at the loop level, and the module is at the llvm level; it has to run before --lower-to-llvm
func.func @main(%x: tensor<4x5xf32>, %w: tensor<5x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.matmul %x, %w : tensor<4x5xf32>, tensor<5x6xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
