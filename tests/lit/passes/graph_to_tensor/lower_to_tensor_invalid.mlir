// RUN: mlc-opt %s --lower-to-tensor --split-input-file --verify-diagnostics

// expected-error @+1 {{'func.func' has a value of type tensor<?x4xf32>: code is generated for known shapes; write numbers for every '?'}}
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = graph.relu %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
