// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @winograd_input_c1(%x: tensor<1x8x8x3xf32>) {
  // expected-error @+1 {{graph.winograd_input: tiles of 3 x 3 results; required: one of (2, 4) (winograd_input_c1)}}
  %0 = graph.winograd_input %x tile 3 : tensor<1x8x8x3xf32> -> tensor<25x1x2x2x3xf32>
  return
}

// -----

func.func @winograd_input_c2(%x: tensor<1x8x10x3xf32>) {
  // expected-error @+1 {{graph.winograd_input: the image is tensor<1x8x10x3xf32>; required: rows and columns that are 2 more than tiles of 4 (winograd_input_c2)}}
  %0 = graph.winograd_input %x tile 4 : tensor<1x8x10x3xf32> -> tensor<36x1x2x2x3xf32>
  return
}

// -----

func.func @winograd_output_c1(%x: tensor<25x1x2x2x3xf32>) {
  // expected-error @+1 {{graph.winograd_output: tiles of 3 x 3 results; required: one of (2, 4) (winograd_output_c1)}}
  %0 = graph.winograd_output %x tile 3 size [6, 6] : tensor<25x1x2x2x3xf32> -> tensor<1x6x6x3xf32>
  return
}

// -----

func.func @winograd_output_c2(%x: tensor<35x1x2x2x3xf32>) {
  // expected-error @+1 {{graph.winograd_output: the products are tensor<35x1x2x2x3xf32>; required: 36 of each of the tiles (winograd_output_c2)}}
  %0 = graph.winograd_output %x tile 4 size [8, 8] : tensor<35x1x2x2x3xf32> -> tensor<1x8x8x3xf32>
  return
}

// -----

func.func @winograd_output_c3(%x: tensor<36x1x2x2x3xf32>) {
  // expected-error @+1 {{graph.winograd_output: 2 x 2 tiles do not make up an image of [8, 9] (winograd_output_c3)}}
  %0 = graph.winograd_output %x tile 4 size [8, 9] : tensor<36x1x2x2x3xf32> -> tensor<1x8x9x3xf32>
  return
}
