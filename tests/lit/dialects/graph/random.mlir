// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --fold-constants --canonicalize --cse --check-each | filecheck %s --check-prefix=FOLDED

// Equal operands are equal bits: two ops are one. Another key, or another counter, is another op.
// CHECK-LABEL: @philox
// FOLDED-LABEL: @philox
func.func @philox(%place: tensor<4x1xui64>, %key: tensor<6xui64>, %low: tensor<ui64>, %high: tensor<4x6xui64>) -> (tensor<4x6xui32>, tensor<4x6xui64>, tensor<4x6xui32>, tensor<4x6xui32>) {
  // CHECK-NEXT: graph.philox %place, %key, %low, %high : tensor<4x1xui64>, tensor<6xui64>, tensor<ui64>, tensor<4x6xui64> -> tensor<4x6xui32>
  // FOLDED-NEXT: %[[A:.*]] = graph.philox %place, %key, %low, %high {{.*}}xui32>
  %0 = graph.philox %place, %key, %low, %high : tensor<4x1xui64>, tensor<6xui64>, tensor<ui64>, tensor<4x6xui64> -> tensor<4x6xui32>
  // CHECK-NEXT: graph.philox %place, %key, %low, %high : tensor<4x1xui64>, tensor<6xui64>, tensor<ui64>, tensor<4x6xui64> -> tensor<4x6xui64>
  // FOLDED-NEXT: %[[B:.*]] = graph.philox %place, %key, %low, %high {{.*}}xui64>
  %1 = graph.philox %place, %key, %low, %high : tensor<4x1xui64>, tensor<6xui64>, tensor<ui64>, tensor<4x6xui64> -> tensor<4x6xui64>
  %2 = graph.philox %place, %key, %low, %high : tensor<4x1xui64>, tensor<6xui64>, tensor<ui64>, tensor<4x6xui64> -> tensor<4x6xui32>
  // FOLDED-NEXT: %[[C:.*]] = graph.philox %place, %low, %key, %high
  %3 = graph.philox %place, %low, %key, %high : tensor<4x1xui64>, tensor<ui64>, tensor<6xui64>, tensor<4x6xui64> -> tensor<4x6xui32>
  // FOLDED-NEXT: return %[[A]], %[[B]], %[[A]], %[[C]]
  return %0, %1, %2, %3 : tensor<4x6xui32>, tensor<4x6xui64>, tensor<4x6xui32>, tensor<4x6xui32>
}

// What depends on constants only is a constant: the first block of counter 0 and key 0, 6627e8d5 e169c58d and so on.
// FOLDED-LABEL: @known
// FOLDED-NEXT: graph.constant dense_resource<[[NAME:.*]]> : tensor<4xui32>
// FOLDED-NEXT: return
// FOLDED: [[NAME]]: "0x04000000D5E827668DC569E14CAC57BCD8DB009B"
func.func @known() -> tensor<4xui32> {
  %place = graph.constant dense<[0, 1, 2, 3]> : tensor<4xui64>
  %zero = graph.constant dense<0> : tensor<ui64>
  %0 = graph.philox %place, %zero, %zero, %zero : tensor<4xui64>, tensor<ui64>, tensor<ui64>, tensor<ui64> -> tensor<4xui32>
  return %0 : tensor<4xui32>
}
