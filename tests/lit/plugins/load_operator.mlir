// REQUIRES: torch
// RUN: mlc-opt --load-dialect %S/Inputs/sinc.py %s --lower-to-graph --split-input-file | filecheck %s --check-prefixes=CHECK,GRAPH
// RUN: mlc-opt --load-dialect %S/Inputs/sinc.py %s --lower-to-graph --split-input-file | mlc-opt --load-dialect %S/Inputs/sinc.py - --lower-to-tensor --check-each --split-input-file | filecheck %s --check-prefixes=CHECK,TENSOR

// One file has an op, what it means, its lowering, and what becomes it from three sources.
// TENSOR:      math.sin
// CHECK:       @main(
// GRAPH-NEXT:  signal.sinc %x : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<*xf32> {
  %y = onnx.com.example.Sinc %x : (tensor<4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// TENSOR:      math.sin
// CHECK:       @main(
// GRAPH-NEXT:  signal.sinc %x : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = aten.sinc %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// TENSOR:      math.sin
// CHECK:       @main(
// GRAPH-NEXT:  signal.sinc %x : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.custom_call @sinc(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
