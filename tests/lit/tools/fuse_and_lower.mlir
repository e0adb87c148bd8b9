// RUN: mlc-opt %S/../../../examples/digits/mlp.mlir --fuse --lower-to-loops | filecheck %s --check-prefix=GRAPH
// RUN: mlc-opt %S/Inputs/linear_relu.onnx --lower-to-graph --fuse --lower-to-loops | filecheck %s --check-prefix=ONNX
// RUN: mlc-opt %s --lower-to-graph --fuse --lower-to-loops | filecheck %s
// RUN: mlc-opt %S/Inputs/linear_relu.onnx --fuse --lower-to-loops 2>&1 | filecheck %s --check-prefix=EARLY-ONNX
// RUN: mlc-opt %s --fuse --lower-to-loops 2>&1 | filecheck %s --check-prefix=EARLY

// A model of our text, of an ONNX file and of StableHLO text becomes loops, in kernels that --fuse made.
// GRAPH:     func.func private @linear_relu(
// GRAPH:       math.fma
// GRAPH:       arith.select
// GRAPH:     func.func private @linear(
// GRAPH:     func.func @main(%image: memref<1x8x8xf32>, %out: memref<1x10xf32> {mlc.output})
// GRAPH:       func.call @linear_relu(
// GRAPH-NEXT:  func.call @linear(

// ONNX:      func.func private @linear_relu(
// ONNX:        math.fma
// ONNX:        arith.select
// ONNX-NOT:  func.func private
// ONNX:      func.func @main(
// ONNX-NEXT:   func.call @linear_relu(

// CHECK:     func.func private @matmul_add_tanh(
// CHECK:       math.fma
// CHECK:       arith.addf
// CHECK:       math.tanh
// CHECK-NOT: func.func private
// CHECK:     func.func @main(

// Above the graph level --fuse says that it does nothing: each op is a kernel.
// EARLY-ONNX-DAG: note: --fuse changed nothing: it works at the graph level, and the module is at the onnx level; run --lower-to-graph first
// EARLY-ONNX-DAG: func.func private @relu(
// EARLY-DAG: note: --fuse changed nothing: it works at the graph level, and the module is at the stablehlo level; run --lower-to-graph first
// EARLY-DAG: func.func private @tanh(
func.func @main(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x3xf32>
  %3 = stablehlo.tanh %2 : tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}
