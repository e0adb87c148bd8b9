// RUN: mlc-opt %s --lower-to-tensor --convert-tensor-to-linalg --split-input-file --verify-diagnostics

func.func private @too_low(%x: memref<4xf32>) {
  // expected-error @+1 {{'loop.for' cannot be converted to linalg: no pattern of convert-tensor-to-linalg takes it}}
  loop.for serial "n" %n = 0 to 4 {
  }
  return
}

// -----

// expected-error @+1 {{'func.func' has a value of type tensor<?xf32>: code is generated for known shapes; write numbers for every '?'}}
func.func @unknown_shape(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = graph.relu %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
