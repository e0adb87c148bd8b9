// RUN: mlc-opt %s --convert-stablehlo-to-graph --verify-diagnostics

module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @several(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error@+1 {{stablehlo.all_reduce: it takes part in an exchange between 4 devices; mlc compiles for one}}
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
