// RUN: mlc-opt %s --lower-to-graph | filecheck %s --check-prefix=GRAPH
// RUN: mlc-opt %s --lower-to-tensor | filecheck %s --check-prefix=TENSOR
// RUN: mlc-opt %s --lower-to-loops | filecheck %s --check-prefix=LOOP
// RUN: mlc-opt %s --lower-to-llvm | filecheck %s --check-prefix=LLVM

// Functions of several levels are in one module: each goes down from where it is.

// GRAPH-LABEL: func.func @onnx
// GRAPH:         graph.relu
// TENSOR-LABEL: func.func private @relu(
// TENSOR:         tensor.map
// LOOP-LABEL:   func.func private @relu(
// LOOP:           loop.store
// LLVM-LABEL:   llvm.func {{.*}} @relu(
// LLVM:           llvm.store
func.func @onnx(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// GRAPH-LABEL: func.func @stablehlo
// GRAPH:         graph.exp
// TENSOR-LABEL: func.func private @exp(
// TENSOR:         math.exp
// LOOP-LABEL:   func.func private @exp(
// LOOP:           math.exp
// LLVM-LABEL:   llvm.func {{.*}} @exp(
// LLVM-NOT:       math.exp
func.func @stablehlo(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// GRAPH-LABEL: func.func @graph
// GRAPH:         graph.neg
// TENSOR-LABEL: func.func private @neg(
// LOOP-LABEL:   func.func private @neg(
// LLVM-LABEL:   llvm.func {{.*}} @neg(
func.func @graph(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// GRAPH-LABEL: func.func @tensor
// GRAPH:         tensor.map
// TENSOR-LABEL: func.func @tensor
// TENSOR:         tensor.map
// LOOP-LABEL:   func.func @tensor
// LOOP:           loop.store
// LLVM-LABEL:   llvm.func @mlc_tensor(
func.func @tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    tensor.yield %b : f32
  }
  return %0 : tensor<4xf32>
}

// GRAPH-LABEL: func.func @loop
// GRAPH:         loop.for
// TENSOR-LABEL: func.func @loop
// TENSOR:         loop.for
// LOOP-LABEL:   func.func @loop
// LOOP:           loop.for
// LLVM-LABEL:   llvm.func @mlc_loop(
func.func @loop(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 4 {
    %a = loop.load %x[%n] : memref<4xf32>
    loop.store %a, %y[%n] : memref<4xf32>
  }
  return
}
