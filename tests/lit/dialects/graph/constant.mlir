// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @constants
func.func @constants() -> (tensor<f32>, tensor<2x2xi64>, tensor<2xi1>, tensor<2xf32>) {
  // CHECK: graph.constant dense<5.000000e-01> : tensor<f32>
  %0 = graph.constant dense<0.5> : tensor<f32>
  // CHECK: graph.constant dense<{{\[\[1, 2\], \[3, 4\]\]}}> : tensor<2x2xi64>
  %1 = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  // CHECK: graph.constant dense<[true, false]> : tensor<2xi1>
  %2 = graph.constant dense<[true, false]> : tensor<2xi1>
  // CHECK: graph.constant dense_resource<b> : tensor<2xf32>
  %3 = graph.constant dense_resource<b> : tensor<2xf32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<2x2xi64>, tensor<2xi1>, tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      b: "0x040000000000803F00000040"
    }
  }
#-}
