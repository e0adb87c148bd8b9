// RUN: mlc-opt --canonicalize %s | filecheck %s

// CHECK-LABEL: @neutral_operands
func.func @neutral_operands(%x: tensor<4xf32>, %i: tensor<4xi32>, %b: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xi1>) {
  // CHECK-NEXT: return %x, %i, %b
  %one = graph.constant dense<1.0> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %minus_zero = graph.constant dense<-0.0> : tensor<f32>
  %none = graph.constant dense<0> : tensor<i32>
  %true = graph.constant dense<true> : tensor<i1>
  %0 = graph.mul %one, %x : tensor<f32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.div %0, %one : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %2 = graph.sub %1, %zero : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.add %2, %minus_zero : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %4 = graph.pow %3, %one : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %5 = graph.max %4, %4 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %6 = graph.add %none, %i : tensor<i32>, tensor<4xi32> -> tensor<4xi32>
  %7 = graph.and %b, %true : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
  return %5, %6, %7 : tensor<4xf32>, tensor<4xi32>, tensor<4xi1>
}

// CHECK-LABEL: @neutral_operands_of_bits
func.func @neutral_operands_of_bits(%i: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %i
  %none = graph.constant dense<0> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %0 = graph.xor %none, %i : tensor<i32>, tensor<4xi32> -> tensor<4xi32>
  %1 = graph.shl %0, %none : tensor<4xi32>, tensor<i32> -> tensor<4xi32>
  %2 = graph.shr %1, %none : tensor<4xi32>, tensor<i32> -> tensor<4xi32>
  %3 = graph.pow %2, %one : tensor<4xi32>, tensor<i32> -> tensor<4xi32>
  return %3 : tensor<4xi32>
}

// CHECK-LABEL: @not_neutral_of_bits
func.func @not_neutral_of_bits(%i: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %none = graph.constant dense<0> : tensor<4xi32>
  // CHECK: %0 = graph.xor %i, %i
  %0 = graph.xor %i, %i : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  // CHECK: %1 = graph.shl %none, %i
  %1 = graph.shl %none, %i : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  // CHECK: %2 = graph.rem %i, %none
  %2 = graph.rem %i, %none : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// Each of these changes some input: -0.0 becomes 0.0, NaN times 0 is NaN, 1 / x is not x, and a broadcast is larger.
// CHECK-LABEL: @not_neutral
func.func @not_neutral(%x: tensor<4xf32>, %s: tensor<1xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  // CHECK: %0 = graph.add %x, %zero
  %0 = graph.add %x, %zero : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  // CHECK: %1 = graph.mul %x, %zero
  %1 = graph.mul %x, %zero : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  // CHECK: %2 = graph.div %one, %x
  %2 = graph.div %one, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK: %3 = graph.mul %s, %one
  %3 = graph.mul %s, %one : tensor<1xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK: return %0, %1, %2, %3
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @unary_of_unary
func.func @unary_of_unary(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %0 = graph.relu %x
  %0 = graph.relu %x : tensor<4xf32>
  %1 = graph.relu %0 : tensor<4xf32>
  %2 = graph.neg %x : tensor<4xf32>
  // CHECK-NEXT: %1 = graph.abs %x
  %3 = graph.abs %2 : tensor<4xf32>
  %4 = graph.neg %2 : tensor<4xf32>
  // CHECK-NEXT: return %0, %1, %x
  return %1, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @rounded_twice
func.func @rounded_twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %0 = graph.round %x
  %0 = graph.round %x : tensor<4xf32>
  %1 = graph.round %0 : tensor<4xf32>
  // CHECK-NEXT: %1 = graph.trunc %x
  %2 = graph.trunc %x : tensor<4xf32>
  %3 = graph.trunc %2 : tensor<4xf32>
  // CHECK-NEXT: %2 = graph.sign %x
  %4 = graph.sign %x : tensor<4xf32>
  %5 = graph.sign %4 : tensor<4xf32>
  // What one of the two does, the other does not undo, nor do they know of each other.
  // CHECK-NEXT: %3 = graph.round %1
  %6 = graph.round %3 : tensor<4xf32>
  // CHECK-NEXT: return %0, %1, %2, %3
  return %1, %3, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @bitcasts
func.func @bitcasts(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = graph.bitcast %x : tensor<4xf32> -> tensor<4xi32>
  %1 = graph.bitcast %0 : tensor<4xi32> -> tensor<4xf32>
  // CHECK-NEXT: %0 = graph.bitcast %x : tensor<4xf32> -> tensor<4xi32>
  %2 = graph.bitcast %1 : tensor<4xf32> -> tensor<4xi32>
  // CHECK-NEXT: return %x, %0
  return %1, %2 : tensor<4xf32>, tensor<4xi32>
}

// CHECK-LABEL: @where_and_cast
func.func @where_and_cast(%c: tensor<4xi1>, %x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.where %c, %x, %x : tensor<4xi1>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.cast %0 : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: %0 = graph.where %c, %s, %s
  %2 = graph.where %c, %s, %s : tensor<4xi1>, tensor<f32>, tensor<f32> -> tensor<4xf32>
  // CHECK-NEXT: return %x, %0
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @reshapes
func.func @reshapes(%x: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<3x4xf32>) {
  %0 = graph.reshape %x : tensor<2x6xf32> -> tensor<12xf32>
  %1 = graph.reshape %0 : tensor<12xf32> -> tensor<2x6xf32>
  // CHECK-NEXT: %0 = graph.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32>
  %2 = graph.reshape %0 : tensor<12xf32> -> tensor<3x4xf32>
  // CHECK-NEXT: return %x, %0
  return %1, %2 : tensor<2x6xf32>, tensor<3x4xf32>
}

// CHECK-LABEL: @transposes
func.func @transposes(%x: tensor<2x3x4xf32>, %u: tensor<1x8x1x8xf32>) -> (tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<1x8x8x1xf32>) {
  %0 = graph.transpose %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %1 = graph.transpose %0 [2, 0, 1] : tensor<3x4x2xf32> -> tensor<2x3x4xf32>
  // CHECK-NEXT: %0 = graph.transpose %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %2 = graph.transpose %0 [1, 2, 0] : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  // CHECK-NEXT: %1 = graph.reshape %u : tensor<1x8x1x8xf32> -> tensor<1x8x8x1xf32>
  %3 = graph.transpose %u [0, 1, 3, 2] : tensor<1x8x1x8xf32> -> tensor<1x8x8x1xf32>
  // CHECK-NEXT: return %x, %0, %1
  return %1, %2, %3 : tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<1x8x8x1xf32>
}

// CHECK-LABEL: @slices
func.func @slices(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.slice %x starts [0] ends [4] strides [1] : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.pad %0 low [0] high [0] with 0.0 : f32 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.concat %1 axis 0 : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: return %x
  return %2 : tensor<4xf32>
}

// Code of one kernel that copies from many tensors takes clang long.
// CHECK-LABEL: @large_concat
// CHECK-NEXT: %[[A:.*]] = graph.concat %x, {{.*}} -> tensor<32xf32>
// CHECK-NEXT: %[[B:.*]] = graph.concat %[[A]], %x axis 0 : tensor<32xf32>, tensor<1xf32> -> tensor<33xf32>
// CHECK-NEXT: return %[[B]]
func.func @large_concat(%x: tensor<1xf32>) -> tensor<33xf32> {
  %0 = graph.concat %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x axis 0 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32> -> tensor<33xf32>
  return %0 : tensor<33xf32>
}

// CHECK-LABEL: @not_so_large_concat
// CHECK-NEXT: graph.concat {{.*}} -> tensor<32xf32>
// CHECK-NEXT: return
func.func @not_so_large_concat(%x: tensor<1xf32>) -> tensor<32xf32> {
  %0 = graph.concat %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x axis 0 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32> -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// CHECK-LABEL: @unit_reduce
func.func @unit_reduce(%x: tensor<4x1xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %0 = graph.reshape %x : tensor<4x1xf32> -> tensor<4xf32>
  %0 = graph.reduce max %x axes [1] : tensor<4x1xf32> -> tensor<4xf32>
  // CHECK-NEXT: return %0
  return %0 : tensor<4xf32>
}

// Other levels too.
// CHECK-LABEL: @folds_integers
func.func @folds_integers(%c: i1, %x: i32) -> i32 {
  // CHECK-NEXT: %{{.*}} = arith.constant 5 : i32
  %0 = arith.constant 2 : i32
  %1 = arith.constant 3 : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
