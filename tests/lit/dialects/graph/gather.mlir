// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @gather
func.func @gather(%table: tensor<10x4xf32>, %ids: tensor<2x3xi64>, %one: tensor<i32>, %mask: tensor<2x10x5xi1>) {
  // CHECK: graph.gather %table, %ids axis 0 : tensor<10x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  %0 = graph.gather %table, %ids axis 0 : tensor<10x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  // CHECK: graph.gather %table, %one axis 1 : tensor<10x4xf32>, tensor<i32> -> tensor<10xf32>
  %1 = graph.gather %table, %one axis 1 : tensor<10x4xf32>, tensor<i32> -> tensor<10xf32>
  // CHECK: graph.gather %mask, %ids axis 1 : tensor<2x10x5xi1>, tensor<2x3xi64> -> tensor<2x2x3x5xi1>
  %2 = graph.gather %mask, %ids axis 1 : tensor<2x10x5xi1>, tensor<2x3xi64> -> tensor<2x2x3x5xi1>
  return
}
