// RUN: mlc-opt %s --split-input-file --convert-graph-to-tensor | filecheck %s
// RUN: mlc-opt %s --split-input-file --convert-graph-to-tensor --check-each

// Sums of groups become floats, are scaled by row, less zero points, and scaled by column where they are added.

// CHECK-LABEL: func.func private @scaled_matmul
// CHECK:         %[[SUMS:.*]] = tensor.contract %{{.*}}[m, g * 32 + k], %{{.*}}[g * 32 + k, n] over (m: 2, g: 2, n: 5) reduce (k: 32) {unsigned = array<i64: 1>} : tensor<2x64xi8>, tensor<64x5xi8> -> tensor<2x2x5xi32>
// CHECK:         tensor.map %[[SUMS]][m, g, n], %{{.*}}[m, g], %{{.*}}[m, g], %{{.*}}[g, n]
// CHECK-NEXT:    ^bb0(%[[SUM:.*]]: i32, %[[SCALE:.*]]: f32, %[[TOTAL:.*]]: f32, %[[ZERO:.*]]: i8):
// CHECK-NEXT:      %[[X:.*]] = arith.sitofp %[[SUM]] : i32 to f32
// CHECK-NEXT:      %[[Z:.*]] = arith.sitofp %[[ZERO]] : i8 to f32
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[Z]], %[[TOTAL]]
// CHECK-NEXT:      %[[N:.*]] = arith.negf %[[P]]
// CHECK-NEXT:      math.fma %[[X]], %[[SCALE]], %[[N]]
// CHECK:         tensor.contract %{{.*}}[m, g, n], %{{.*}}[g, n] over (m: 2, n: 5) reduce (g: 2)
func.func @integers(%x: tensor<2x64xi8>, %w: tensor<64x5xui8>, %s: tensor<2x5xf32>, %t: tensor<2x2xf32>, %z: tensor<2x5xi8>, %u: tensor<2x2xf32>) -> tensor<2x5xf32> {
  %y = graph.scaled_matmul %x, %w, %s, %t, %z, %u : tensor<2x64xi8>, tensor<64x5xui8>, tensor<2x5xf32>, tensor<2x2xf32>, tensor<2x5xi8>, tensor<2x2xf32> -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

// One zero point for all is a number. Of bytes without a sign it is one, too.

// CHECK-LABEL: func.func private @scaled_matmul
// CHECK:         tensor.map %{{.*}}[m, g, n], %{{.*}}[m, g], %{{.*}}[m, g] over
// CHECK:           arith.constant 1.280000e+02 : f32
// CHECK:           math.fma
func.func @one_zero_point(%x: tensor<2x64xi8>, %w: tensor<64x5xui8>, %s: tensor<2x5xf32>, %t: tensor<2x2xf32>, %u: tensor<2x2xf32>) -> tensor<2x5xf32> {
  %z = graph.constant dense<128> : tensor<2x5xui8>
  %y = graph.scaled_matmul %x, %w, %s, %t, %z, %u : tensor<2x64xi8>, tensor<64x5xui8>, tensor<2x5xf32>, tensor<2x2xf32>, tensor<2x5xui8>, tensor<2x2xf32> -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

// CHECK-LABEL: func.func private @scaled_matmul
// CHECK:         tensor.map %{{.*}}[m, g, n], %{{.*}}[m, g] over
// CHECK:           arith.sitofp
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      tensor.yield
func.func @no_zero_point(%x: tensor<2x64xi8>, %w: tensor<64x5xi8>, %s: tensor<2x5xf32>, %t: tensor<2x2xf32>) -> tensor<2x5xf32> {
  %y = graph.scaled_matmul %x, %w, %s, %t : tensor<2x64xi8>, tensor<64x5xi8>, tensor<2x5xf32>, tensor<2x2xf32> -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

// Floats are less zero points alone.

// CHECK-LABEL: func.func private @scaled_matmul
// CHECK:         tensor.map %{{.*}}[m, g, n], %{{.*}}[m, g], %{{.*}}[g, n] over
// CHECK:           arith.sitofp
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      arith.subf
func.func @floats(%x: tensor<2x64xf32>, %w: tensor<64x5xi8>, %s: tensor<2x5xf32>, %z: tensor<2x5xi8>, %u: tensor<2x2xf32>) -> tensor<2x5xf32> {
  %y = graph.scaled_matmul %x, %w, %s, %z, %u : tensor<2x64xf32>, tensor<64x5xi8>, tensor<2x5xf32>, tensor<2x5xi8>, tensor<2x2xf32> -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

// One group is no dim.

// CHECK-LABEL: func.func private @scaled_matmul
// CHECK:         tensor.contract %{{.*}}[m, k], %{{.*}}[k, n] over (m: 2, n: 5) reduce (k: 64)
// CHECK:         tensor.map %{{.*}}[m, n], %{{.*}}[m] over
// CHECK:         tensor.map %{{.*}}[m, n], %{{.*}}[n] over
func.func @one_group(%x: tensor<2x64xi8>, %w: tensor<64x5xi8>, %s: tensor<1x5xf32>, %t: tensor<2x1xf32>) -> tensor<2x5xf32> {
  %y = graph.scaled_matmul %x, %w, %s, %t : tensor<2x64xi8>, tensor<64x5xi8>, tensor<1x5xf32>, tensor<2x1xf32> -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}
