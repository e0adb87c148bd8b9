// RUN: mlc-opt %s --lower-to-loops --apply-schedule --check-each 2>&1 | filecheck %s

// A padding of 3 counts: the image is copied.

// CHECK: warning: schedule step 'partition(y)': still padded

// A 0 that is widened is a factor 0.

// CHECK-LABEL: @zeros(
// CHECK-NOT:     memref.alloc
// CHECK:         loop.for parallel "y" %{{.*}} = 1 to 5 {
// CHECK-LABEL: @threes(
// CHECK:         memref.alloc
func.func private @zeros(%x: tensor<6x8xi8>, %w: tensor<3x8xi8>) -> tensor<6x8xi32> attributes {schedule = #loop.schedule<[partition(y)]>} {
  %0 = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    %1 = arith.constant 0 : i8
    tensor.yield %1 : i8
  } : tensor<6x8xi8> to tensor<8x8xi8>
  %2 = tensor.contract %0[y + k, n], %w[k, n] over (y: 6, n: 8) reduce (k: 3) {unsigned = array<i64: 0>}
      : tensor<8x8xi8>, tensor<3x8xi8> -> tensor<6x8xi32>
  func.return %2 : tensor<6x8xi32>
}

func.func private @threes(%x: tensor<6x8xi8>, %w: tensor<3x8xi8>) -> tensor<6x8xi32> attributes {schedule = #loop.schedule<[partition(y)]>} {
  %0 = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    %1 = arith.constant 3 : i8
    tensor.yield %1 : i8
  } : tensor<6x8xi8> to tensor<8x8xi8>
  %2 = tensor.contract %0[y + k, n], %w[k, n] over (y: 6, n: 8) reduce (k: 3) {unsigned = array<i64: 0>}
      : tensor<8x8xi8>, tensor<3x8xi8> -> tensor<6x8xi32>
  func.return %2 : tensor<6x8xi32>
}
