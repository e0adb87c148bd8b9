// RUN: mlc-opt %s --split-input-file --verify-diagnostics --convert-graph-to-tensor
// RUN: not mlc-opt %s --split-input-file --convert-tensor-to-loop 2>&1 | filecheck %s --check-prefix=LOOPS
// RUN: not mlc-opt %s --split-input-file --convert-loop-to-llvm 2>&1 | filecheck %s --check-prefix=LLVM
// RUN: not mlc-opt %s --split-input-file --convert-tensor-to-linalg 2>&1 | filecheck %s --check-prefix=LINALG
// RUN: not mlc-opt %s --split-input-file --convert-loop-to-scf 2>&1 | filecheck %s --check-prefix=SCF

// A model that comes from elsewhere is above the graph level: what has to run first is the conversion of its source.
// What the messages advise works.
// RUN: mlc-opt %s --split-input-file --lower-to-loops --lower-to-llvm | filecheck %s --check-prefix=DONE

// LOOPS: error: convert-tensor-to-loop: found stablehlo.add, of the stablehlo level; run --lower-to-tensor first
// LLVM: error: convert-loop-to-llvm: found stablehlo.add, of the stablehlo level; run --lower-to-loops --expand-math --plan-memory first
// LINALG: error: convert-tensor-to-linalg: found stablehlo.add, of the stablehlo level; run --lower-to-tensor first
// SCF: error: convert-loop-to-scf: found stablehlo.add, of the stablehlo level; run --lower-to-loops first
// DONE: llvm.func @mlc_main
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{convert-graph-to-tensor: found stablehlo.add, of the stablehlo level; run --lower-to-graph first}}
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// LOOPS: error: convert-tensor-to-loop: found chlo.erf, of the stablehlo level; run --lower-to-tensor first
// LLVM: error: convert-loop-to-llvm: found chlo.erf, of the stablehlo level; run --lower-to-loops --expand-math --plan-memory first
// LINALG: error: convert-tensor-to-linalg: found chlo.erf, of the stablehlo level; run --lower-to-tensor first
// SCF: error: convert-loop-to-scf: found chlo.erf, of the stablehlo level; run --lower-to-loops first
// DONE: llvm.func @mlc_main
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{convert-graph-to-tensor: found chlo.erf, of the stablehlo level; run --lower-to-graph first}}
  %0 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// LOOPS: error: convert-tensor-to-loop: found onnx.Relu, of the onnx level; run --lower-to-tensor first
// LLVM: error: convert-loop-to-llvm: found onnx.Relu, of the onnx level; run --lower-to-loops --expand-math --plan-memory first
// LINALG: error: convert-tensor-to-linalg: found onnx.Relu, of the onnx level; run --lower-to-tensor first
// SCF: error: convert-loop-to-scf: found onnx.Relu, of the onnx level; run --lower-to-loops first
// DONE: llvm.func @mlc_main
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{convert-graph-to-tensor: found onnx.Relu, of the onnx level; run --lower-to-graph first}}
  %0 = "onnx.Relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
