// RUN: mlc-opt %s --canonicalize --verify-diagnostics --split-input-file

// No pass has to write down a number of elements that no memory holds.
func.func @main(%x: tensor<1xf32>) -> tensor<1099511627776x1099511627776xf32> {
  // expected-error @+1 {{'tensor.empty' has a value of type tensor<1099511627776x1099511627776xf32>: that is more than any memory holds}}
  %e = tensor.empty() : tensor<1099511627776x1099511627776xf32>
  return %e : tensor<1099511627776x1099511627776xf32>
}

// -----

// expected-error @+1 {{'func.func' has a value of type memref<281474976710657xi8>: that is more than any memory holds}}
func.func @main(%x: memref<281474976710657xi8>) {
  return
}

// -----

// One element less is held, and nothing takes no memory.
func.func @main(%x: memref<281474976710656xi8>, %y: tensor<0x1099511627776x1099511627776xf32>, %z: tensor<?x4xf32>) {
  return
}
