// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @matmul_c1(%x: tensor<4xf32>, %w: tensor<4x2xf32>) {
  // expected-error @+1 {{graph.matmul: tensor<4xf32> and tensor<4x2xf32> must both have at least 2 dimensions; use graph.reshape (matmul_c1)}}
  %0 = graph.matmul %x, %w : tensor<4xf32>, tensor<4x2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @matmul_c2(%x: tensor<64x784xf32>, %w: tensor<700x200xf32>) {
  // expected-error @+1 {{graph.matmul: tensor<64x784xf32> has 784 columns and tensor<700x200xf32> has 700 rows; these must be equal (matmul_c2)}}
  %0 = graph.matmul %x, %w : tensor<64x784xf32>, tensor<700x200xf32> -> tensor<64x200xf32>
  return
}

// -----

func.func @matmul_c3(%x: tensor<3x4x5xf32>, %w: tensor<2x5x6xf32>) {
  // expected-error @+1 {{graph.matmul: the leading dimensions of tensor<3x4x5xf32> and tensor<2x5x6xf32> do not broadcast (matmul_c3)}}
  %0 = graph.matmul %x, %w : tensor<3x4x5xf32>, tensor<2x5x6xf32> -> tensor<3x4x6xf32>
  return
}

// -----

func.func @matmul_c4(%x: tensor<4x5xf32>, %w: tensor<5x6xf64>) {
  // expected-error @+1 {{graph.matmul: tensor<4x5xf32> and tensor<5x6xf64> have different element types; insert graph.cast (matmul_c4)}}
  %0 = graph.matmul %x, %w : tensor<4x5xf32>, tensor<5x6xf64> -> tensor<4x6xf32>
  return
}

// -----

func.func @matmul_c4(%x: tensor<4x5xi8>, %w: tensor<5x6xi8>) {
  // expected-error @+1 {{graph.matmul: products of elements of type i8 are not added as i64; insert graph.cast (matmul_c4)}}
  %0 = graph.matmul %x, %w : tensor<4x5xi8>, tensor<5x6xi8> -> tensor<4x6xi64>
  return
}

// -----

func.func @matmul_c4(%x: tensor<4x5xui8>, %w: tensor<5x6xi8>) {
  // expected-error @+1 {{graph.matmul: tensor<4x5xui8> and tensor<5x6xi8> have different element types; insert graph.cast (matmul_c4)}}
  %0 = graph.matmul %x, %w : tensor<4x5xui8>, tensor<5x6xi8> -> tensor<4x6xi8>
  return
}

// -----

func.func @matmul_c4(%x: tensor<4x5xi8>, %w: tensor<5x6xi64>) {
  // expected-error @+1 {{graph.matmul: tensor<4x5xi8> and tensor<5x6xi64> have different element types; insert graph.cast (matmul_c4)}}
  %0 = graph.matmul %x, %w : tensor<4x5xi8>, tensor<5x6xi64> -> tensor<4x6xi32>
  return
}

// -----

func.func @matmul_c4(%x: tensor<4x5xbf16>, %w: tensor<5x6xbf16>) {
  // expected-error @+1 {{graph.matmul: products of elements of type bf16 are not added as f64; insert graph.cast (matmul_c4)}}
  %0 = graph.matmul %x, %w : tensor<4x5xbf16>, tensor<5x6xbf16> -> tensor<4x6xf64>
  return
}

// -----

func.func @matmul_c4(%x: tensor<4x5xf32>, %w: tensor<5x6xf32>) {
  // expected-error @+1 {{graph.matmul: products of elements of type f32 are not added as i32; insert graph.cast (matmul_c4)}}
  %0 = graph.matmul %x, %w : tensor<4x5xf32>, tensor<5x6xf32> -> tensor<4x6xi32>
  return
}
