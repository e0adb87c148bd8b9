// RUN: mlc-opt %s --split-input-file --convert-stablehlo-to-graph | filecheck %s

// On one device nothing is exchanged, and it is the first.

// CHECK-LABEL: func.func @alone
// CHECK-NEXT: [[ZERO:%.*]] = graph.constant dense<0> : tensor<ui32>
// CHECK-NEXT: return %x, %x, %x, [[ZERO]]
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
func.func @alone(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<ui32>) {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
  %3 = stablehlo.partition_id : tensor<ui32>
  return %0, %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<ui32>
}
}

// -----

// Nobody sends, so zeros arrive.

// CHECK-LABEL: func.func @nobody
// CHECK: graph.constant dense<0.000000e+00>
func.func @nobody(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
