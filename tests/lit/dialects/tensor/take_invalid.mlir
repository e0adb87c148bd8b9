// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @take_c1(%x: tensor<10x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{tensor.take: takes data of three dims and indices of one, got tensor<10x4xf32> and tensor<3xi64> (take_c1)}}
  %0 = tensor.take %x, %i : tensor<10x4xf32>, tensor<3xi64> -> tensor<1x3x4xf32>
  return
}

// -----

func.func @take_c2(%x: tensor<1x0x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{tensor.take: there is no row to read in tensor<1x0x4xf32> (take_c2)}}
  %0 = tensor.take %x, %i : tensor<1x0x4xf32>, tensor<3xi64> -> tensor<1x3x4xf32>
  return
}

// -----

func.func @take_c3(%x: tensor<1x9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{tensor.take: the result type is tensor<1x3x5xf32>, the operands give tensor<1x3x4xf32> (take_c3)}}
  %0 = tensor.take %x, %i : tensor<1x9x4xf32>, tensor<3xi64> -> tensor<1x3x5xf32>
  return
}
