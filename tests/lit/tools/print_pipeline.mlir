// RUN: mlc-opt -O0 --print-pipeline | filecheck %s --check-prefix=NONE --match-full-lines
// RUN: mlc-opt -O3 --threads=4 --print-pipeline --emit=mlir:loop | filecheck %s --check-prefix=ALL
// RUN: mlc-opt --tile="sizes=8,48" --cse --print-pipeline | filecheck %s --check-prefix=NAMED --match-full-lines
// RUN: mlc-opt --fuse --lower-to-tensor --print-pipeline | filecheck %s --check-prefix=LOWER --match-full-lines

// NONE:      // -O0
// NONE-NEXT: // graph   convert-onnx-to-graph {{ *}}a model of ONNX is spelled in the ops of the graph level
// NONE-NEXT: // graph   convert-aten-to-graph {{ *}}and so is one of PyTorch
// NONE-NEXT: // graph   convert-stablehlo-to-graph {{ *}}and so is one of JAX, or of StableHLO
// NONE-NEXT: // graph   convert-gguf-to-graph{caches=f32} {{ *}}and so is a language model, as its architecture says
// NONE-NEXT: // graph   fold-empty {{ *}}what has no elements is known: nothing below has to compute nothing
// NONE-NEXT: // tensor  convert-graph-to-tensor {{ *}}from what the model says to what each kernel computes per point
// NONE-NEXT: // tensor  wrap-scalars {{.*}}
// NONE-NEXT: // tensor  convert-linalg-to-tensor {{ *}}{{.*}}
// NONE-NEXT: // loop    convert-tensor-to-loop {{ *}}{{.*}}
// NONE:      // llvm    convert-loop-to-llvm {{ *}}{{.*}}
// NONE-NEXT: --pass-pipeline='convert-onnx-to-graph,convert-aten-to-graph,convert-stablehlo-to-graph,convert-gguf-to-graph,fold-empty,convert-graph-to-tensor,wrap-scalars,convert-linalg-to-tensor,convert-tensor-to-loop,{{.*}},plan-memory,convert-loop-to-llvm'

// ALL:      // -O3
// ALL-NEXT: // graph   convert-onnx-to-graph
// ALL-NEXT: // graph   convert-aten-to-graph
// ALL-NEXT: // graph   convert-stablehlo-to-graph
// ALL-NEXT: // graph   convert-gguf-to-graph{caches=f32}
// ALL-NEXT: // graph   fold-empty
// ALL-NEXT: // graph   sink-dequantize
// ALL-NEXT: // graph   canonicalize
// ALL:      // loop    parallelize{threads=4}  spreads loops over threads where that pays
// ALL-NOT:  // llvm
// ALL:      --pass-pipeline='convert-onnx-to-graph,{{.*}},parallelize{threads=4},

// NAMED: --pass-pipeline='tile{sizes=8,48},cse'

// A pipeline is shown with its passes.
// LOWER:      // --lower-to-tensor
// LOWER-NEXT: // graph   convert-onnx-to-graph {{ *}}a model of ONNX is spelled in the ops of the graph level
// LOWER-NEXT: // graph   convert-aten-to-graph {{.*}}
// LOWER-NEXT: // graph   convert-stablehlo-to-graph {{.*}}
// LOWER-NEXT: // graph   convert-gguf-to-graph{{.*}}
// LOWER-NEXT: // graph   fold-empty {{.*}}
// LOWER-NEXT: // tensor  convert-graph-to-tensor {{ *}}from what the model says to what each kernel computes per point
// LOWER-NEXT: // tensor  wrap-scalars {{.*}}
// LOWER-NEXT: // tensor  convert-linalg-to-tensor {{.*}}
// LOWER-NEXT: --pass-pipeline='fuse,convert-onnx-to-graph,convert-aten-to-graph,convert-stablehlo-to-graph,convert-gguf-to-graph,fold-empty,convert-graph-to-tensor,wrap-scalars,convert-linalg-to-tensor'
