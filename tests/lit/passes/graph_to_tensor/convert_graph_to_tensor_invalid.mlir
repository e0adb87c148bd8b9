// RUN: mlc-opt %s --convert-graph-to-tensor --split-input-file --verify-diagnostics

// expected-error @+1 {{'func.func' has a value of type tensor<?x4xf32>: code is generated for known shapes; write numbers for every '?'}}
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = graph.relu %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// expected-error @+1 {{'func.func' has a value of type tensor<4xtf32>: mlc computes with elements of type f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64 and i1; insert graph.cast}}
func.func @main(%x: tensor<4xtf32>) -> tensor<4xtf32> {
  %0 = graph.reverse %x axes [0] : tensor<4xtf32> -> tensor<4xtf32>
  return %0 : tensor<4xtf32>
}

// -----

func.func @kernel(%x: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf8E5M2> -> tensor<4xf8E5M2> {
  ^bb0(%a: f8E5M2):
    // expected-error @+1 {{'arith.addf' is about f8E5M2, whose elements are codes at this level; mlc computes with f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64 and i1}}
    %b = arith.addf %a, %a : f8E5M2
    tensor.yield %b : f8E5M2
  }
  return %0 : tensor<4xf8E5M2>
}

// -----

// expected-error @+1 {{'func.func' has a value of type tensor<9223372036854775807x4xf32>: that is more than any memory holds}}
func.func @main(%x: tensor<9223372036854775807x4xf32>) -> tensor<9223372036854775807x4xf32> {
  %0 = graph.relu %x : tensor<9223372036854775807x4xf32>
  return %0 : tensor<9223372036854775807x4xf32>
}
