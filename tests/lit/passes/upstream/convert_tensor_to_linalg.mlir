// RUN: mlc-opt %s --convert-tensor-to-linalg | filecheck %s
// RUN: mlc-opt %s --convert-tensor-to-linalg --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// CHECK-LABEL: @contract(
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %[[EMPTY:.*]] = tensor.empty() : tensor<4x16xf32>
// CHECK-NEXT:    %[[INIT:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[EMPTY]] : tensor<4x16xf32>) -> tensor<4x16xf32>
// CHECK-NEXT:    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
// CHECK-SAME:      affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%[[INIT]] : tensor<4x16xf32>) {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[A]], %[[B]] : f32
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[SUM]], %[[P]] : f32
// CHECK-NEXT:      linalg.yield %[[S]] : f32
// CHECK-NEXT:    } -> tensor<4x16xf32>
// A schedule is nothing for upstream.
// REMARK: remark: dropped the schedule of 'contract': upstream MLIR has no such attribute
func.func private @contract(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32>
    attributes {schedule = #loop.schedule<[tile(m, 2)]>} {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 4, n: 16) reduce (k: 8) : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// A map overwrites what was in its result, so it starts from anything.
// CHECK-LABEL: @map(
// CHECK-NEXT:    %[[EMPTY:.*]] = tensor.empty() : tensor<4x8xi64>
// CHECK-NEXT:    linalg.generic
// CHECK-SAME:      ins(%x, %b : tensor<4x8xi64>, tensor<8xi64>) outs(%[[EMPTY]] : tensor<4x8xi64>) {
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64):
// CHECK-NEXT:      arith.addi
func.func @map(%x: tensor<4x8xi64>, %b: tensor<8xi64>) -> tensor<4x8xi64> {
  %0 = tensor.map %x[m, n], %b[n] over (m: 4, n: 8) : tensor<4x8xi64>, tensor<8xi64> -> tensor<4x8xi64> {
  ^bb0(%a: i64, %c: i64):
    %s = arith.addi %a, %c : i64
    tensor.yield %s : i64
  }
  return %0 : tensor<4x8xi64>
}

// Nothing shows how large a window is, so that an operand is added of which only the shape counts.
// CHECK-LABEL: @window(
// CHECK:         %[[SIZES:.*]] = tensor.empty() : tensor<3xf32>
// CHECK-NEXT:    arith.constant 0xff800000 : f32
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (((d0 * 2) + d1))>, affine_map<(d0, d1) -> (d1)>,
// CHECK-SAME:      affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
// CHECK-SAME:      ins(%x, %[[SIZES]] : tensor<9xf32>, tensor<3xf32>) outs(
func.func @window(%x: tensor<9xf32>) -> tensor<4xf32> {
  %0 = tensor.reduce max %x[n * 2 + k] over (n: 4) reduce (k: 3) : tensor<9xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// linalg takes the extent of a dim from the axis that it subscripts.
// CHECK-LABEL: @part(
// CHECK-NEXT:    %[[PART:.*]] = tensor.extract_slice %x[0, 0] [4, 3] [1, 1] : tensor<4x8xf32> to tensor<4x3xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[PART]] : tensor<4x3xf32>)
func.func @part(%x: tensor<4x8xf32>) -> tensor<4x3xf32> {
  %0 = tensor.map %x[m, n] over (m: 4, n: 3) : tensor<4x8xf32> -> tensor<4x3xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %0 : tensor<4x3xf32>
}

// What upstream has stays.
// CHECK-LABEL: @stays(
// CHECK-NEXT:    tensor.concat
// CHECK-NEXT:    tensor.collapse_shape
func.func @stays(%x: tensor<2x4xf32>) -> tensor<16xf32> {
  %0 = tensor.concat dim(0) %x, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %1 = tensor.collapse_shape %0 [[0 : i64, 1 : i64]] : tensor<4x4xf32> into tensor<16xf32>
  return %1 : tensor<16xf32>
}
