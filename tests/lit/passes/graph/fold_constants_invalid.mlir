// RUN: mlc-opt %s --fold-constants --verify-diagnostics

func.func @index_out_of_range() -> tensor<1xf32> {
  %x = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %i = graph.constant dense<[2]> : tensor<1xi64>
  // expected-error @+1 {{graph.gather: index 2 is out of range for axis 0 of extent 2}}
  %0 = graph.gather %x, %i axis 0 : tensor<2xf32>, tensor<1xi64> -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
