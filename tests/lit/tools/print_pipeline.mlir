// RUN: mlc-opt -O0 --print-pipeline | filecheck %s --check-prefix=NONE --match-full-lines
// RUN: mlc-opt -O3 --threads=4 --print-pipeline --emit=mlir:loop | filecheck %s --check-prefix=ALL
// RUN: mlc-opt --tile="sizes=8,48" --cse --print-pipeline | filecheck %s --check-prefix=NAMED --match-full-lines

// NONE:      // -O0
// NONE-NEXT: // graph   convert-onnx-to-graph {{ *}}a model that came from ONNX is spelled in the ops of the graph level
// NONE-NEXT: // graph   convert-aten-to-graph {{ *}}and so is one that came from PyTorch
// NONE-NEXT: // graph   convert-stablehlo-to-graph {{ *}}and so is one that came from JAX, or as StableHLO
// NONE-NEXT: // graph   fold-empty {{ *}}what has no elements is known: nothing below has to compute nothing
// NONE-NEXT: // tensor  lower-to-tensor {{ *}}from what the model says to what each kernel computes per point
// NONE-NEXT: // loop    lower-to-loops {{ *}}{{.*}}
// NONE:      // llvm    lower-to-llvm {{ *}}{{.*}}
// NONE-NEXT: --pass-pipeline='convert-onnx-to-graph,convert-aten-to-graph,convert-stablehlo-to-graph,fold-empty,lower-to-tensor,lower-to-loops,{{.*}},plan-memory,lower-to-llvm'

// ALL:      // -O3
// ALL-NEXT: // graph   convert-onnx-to-graph
// ALL-NEXT: // graph   convert-aten-to-graph
// ALL-NEXT: // graph   convert-stablehlo-to-graph
// ALL-NEXT: // graph   fold-empty
// ALL-NEXT: // graph   canonicalize
// ALL:      // loop    parallelize{threads=4}  spreads loops over threads where that pays
// ALL-NOT:  // llvm
// ALL:      --pass-pipeline='convert-onnx-to-graph,{{.*}},parallelize{threads=4},

// NAMED: --pass-pipeline='tile{sizes=8,48},cse'
