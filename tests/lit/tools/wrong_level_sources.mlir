// RUN: mlc-opt %s --split-input-file --fuse 2>&1 | filecheck %s --check-prefix=FUSE
// RUN: mlc-opt %s --split-input-file --schedule 2>&1 | filecheck %s --check-prefix=SCHEDULE
// RUN: mlc-opt %s --split-input-file --convert-aten-to-graph 2>&1 | filecheck %s --check-prefix=OTHER
// RUN: mlc-opt %s --split-input-file --bind-inputs 2>&1 | filecheck %s --check-prefix=BIND

// Models that come from elsewhere are above the graph level.
// BIND: note: --bind-inputs changed nothing: it works at the onnx level, and the module is at the stablehlo level; it is of no use there
// FUSE: note: --fuse changed nothing: it works at the graph level, and the module is at the stablehlo level; run --lower-to-graph first
// SCHEDULE: note: --schedule changed nothing: it works at the tensor level, and the module is at the stablehlo level; run --lower-to-tensor first
// OTHER: note: --convert-aten-to-graph changed nothing: it works at the aten level, and the module is at the stablehlo level; --convert-stablehlo-to-graph is for that
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// FUSE: note: --fuse changed nothing: it works at the graph level, and the module is at the stablehlo level; run --lower-to-graph first
// SCHEDULE: note: --schedule changed nothing: it works at the tensor level, and the module is at the stablehlo level; run --lower-to-tensor first
// OTHER: note: --convert-aten-to-graph changed nothing: it works at the aten level, and the module is at the stablehlo level; --convert-stablehlo-to-graph is for that
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// FUSE: note: --fuse changed nothing: it works at the graph level, and the module is at the onnx level; run --lower-to-graph first
// SCHEDULE: note: --schedule changed nothing: it works at the tensor level, and the module is at the onnx level; run --lower-to-tensor first
// OTHER: note: --convert-aten-to-graph changed nothing: it works at the aten level, and the module is at the onnx level; --convert-onnx-to-graph is for that
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "onnx.Relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
