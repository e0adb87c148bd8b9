// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @scaled_matmul_c1(%x: tensor<64xf32>, %w: tensor<64x5xi8>, %s: tensor<2x5xf32>) {
  // expected-error @+1 {{graph.scaled_matmul: tensor<64xf32>, tensor<64x5xi8> and tensor<2x5xf32> must have 2 dimensions; use graph.reshape (scaled_matmul_c1)}}
  %0 = graph.scaled_matmul %x, %w, %s : tensor<64xf32>, tensor<64x5xi8>, tensor<2x5xf32> -> tensor<5xf32>
  return
}

// -----

func.func @scaled_matmul_c2(%x: tensor<1x60xf32>, %w: tensor<64x5xi8>, %s: tensor<2x5xf32>) {
  // expected-error @+1 {{graph.scaled_matmul: tensor<1x60xf32> has 60 columns and tensor<64x5xi8> has 64 rows; these must be equal (scaled_matmul_c2)}}
  %0 = graph.scaled_matmul %x, %w, %s : tensor<1x60xf32>, tensor<64x5xi8>, tensor<2x5xf32> -> tensor<1x5xf32>
  return
}

// -----

func.func @scaled_matmul_c3(%x: tensor<1x64xf32>, %w: tensor<64x5xi8>, %s: tensor<2x6xf32>) {
  // expected-error @+1 {{graph.scaled_matmul: tensor<2x6xf32> has 6 columns and tensor<64x5xi8> has 5; these must be equal (scaled_matmul_c3)}}
  %0 = graph.scaled_matmul %x, %w, %s : tensor<1x64xf32>, tensor<64x5xi8>, tensor<2x6xf32> -> tensor<1x5xf32>
  return
}

// -----

func.func @scaled_matmul_c4(%x: tensor<1x64xf32>, %w: tensor<64x5xi8>, %s: tensor<3x5xf32>) {
  // expected-error @+1 {{graph.scaled_matmul: tensor<3x5xf32> has 3 rows, which must divide the 64 rows of tensor<64x5xi8> (scaled_matmul_c4)}}
  %0 = graph.scaled_matmul %x, %w, %s : tensor<1x64xf32>, tensor<64x5xi8>, tensor<3x5xf32> -> tensor<1x5xf32>
  return
}

// -----

func.func @scaled_matmul_c5(%x: tensor<1x64xf32>, %w: tensor<64x5xi8>, %s: tensor<2x5xf32>, %z: tensor<2x5xi8>) {
  // expected-error @+1 {{graph.scaled_matmul: zero points and sums are tensor<2x5xi8>; required: tensor<2x5xi8>, or of ui8 or f32, and tensor<1x2xf32> (scaled_matmul_c5)}}
  %0 = graph.scaled_matmul %x, %w, %s, %z : tensor<1x64xf32>, tensor<64x5xi8>, tensor<2x5xf32>, tensor<2x5xi8> -> tensor<1x5xf32>
  return
}

// -----

func.func @scaled_matmul_c6(%x: tensor<1x64xi8>, %w: tensor<64x5xi8>, %s: tensor<2x5xf32>) {
  // expected-error @+1 {{graph.scaled_matmul: tensor<1x64xi8> is scaled by nothing; required: tensor<1x2xf32> (scaled_matmul_c6)}}
  %0 = graph.scaled_matmul %x, %w, %s : tensor<1x64xi8>, tensor<64x5xi8>, tensor<2x5xf32> -> tensor<1x5xf32>
  return
}

// -----

func.func @scaled_matmul_c6(%x: tensor<1x64xi8>, %w: tensor<64x5xi8>, %s: tensor<2x5xf32>, %t: tensor<2x1xf32>) {
  // expected-error @+1 {{graph.scaled_matmul: tensor<1x64xi8> is scaled by tensor<2x1xf32>; required: tensor<1x2xf32> (scaled_matmul_c6)}}
  %0 = graph.scaled_matmul %x, %w, %s, %t : tensor<1x64xi8>, tensor<64x5xi8>, tensor<2x5xf32>, tensor<2x1xf32> -> tensor<1x5xf32>
  return
}

// -----

func.func @scaled_matmul_c7(%x: tensor<1x64xf32>, %w: tensor<64x5xui8>, %s: tensor<2x5xf32>) {
  // expected-error @+1 {{graph.scaled_matmul: tensor<64x5xui8> is multiplied with floats; required: elements of i8 (scaled_matmul_c7)}}
  %0 = graph.scaled_matmul %x, %w, %s : tensor<1x64xf32>, tensor<64x5xui8>, tensor<2x5xf32> -> tensor<1x5xf32>
  return
}
