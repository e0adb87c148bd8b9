// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s

// CHECK-LABEL: func.func @chlo
func.func @chlo(%x: tensor<4x8xf32>, %r: tensor<8xf32>) {
  // CHECK-NEXT: chlo.erf %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %0 = chlo.erf %x : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: chlo.top_k(%x, k = 3) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  %values, %indices = chlo.top_k(%x, k = 3) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  // CHECK-NEXT: chlo.next_after %x, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = chlo.next_after %x, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: chlo.broadcast_add %x, %r : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %2 = chlo.broadcast_add %x, %r : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: chlo.broadcast_compare %x, %r {{{.*}}comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  %3 = chlo.broadcast_compare %x, %r {comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  // CHECK-NEXT: chlo.is_inf %x : tensor<4x8xf32> -> tensor<4x8xi1>
  %4 = chlo.is_inf %x : tensor<4x8xf32> -> tensor<4x8xi1>
  return
}
