// RUN: mlc-opt --raise-softmax --check-each %s | filecheck %s

// CHECK-LABEL: @rows
func.func @rows(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: %p = graph.softmax %x axis 1 : tensor<2x3xf32>
  // CHECK-NEXT: return %p
  %m = graph.reduce max %x axes [1] : tensor<2x3xf32> -> tensor<2xf32>
  %k = graph.reshape %m : tensor<2xf32> -> tensor<2x1xf32>
  %d = graph.sub %x, %k : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  %e = graph.exp %d : tensor<2x3xf32>
  %s = graph.reduce sum %e axes [1] keepdims : tensor<2x3xf32> -> tensor<2x1xf32>
  %p = graph.div %e, %s : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  return %p : tensor<2x3xf32>
}

// Somebody else may read the maximum, which is then computed for them; and numbers may be repeated by hand.
// CHECK-LABEL: @columns
func.func @columns(%x: tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<1x3xf64>) {
  // CHECK-NEXT: %m = graph.reduce max %x axes [0] keepdims
  // CHECK-NEXT: %p = graph.softmax %x axis 0 : tensor<2x3xf64>
  // CHECK-NEXT: return %p, %m
  %m = graph.reduce max %x axes [0] keepdims : tensor<2x3xf64> -> tensor<1x3xf64>
  %k = graph.broadcast %m : tensor<1x3xf64> -> tensor<2x3xf64>
  %d = graph.sub %x, %k : tensor<2x3xf64>, tensor<2x3xf64> -> tensor<2x3xf64>
  %e = graph.exp %d : tensor<2x3xf64>
  %s = graph.reduce sum %e axes [0] keepdims : tensor<2x3xf64> -> tensor<1x3xf64>
  %p = graph.div %e, %s : tensor<2x3xf64>, tensor<1x3xf64> -> tensor<2x3xf64>
  return %p, %m : tensor<2x3xf64>, tensor<1x3xf64>
}

// Not one: another axis, another operand, a square whose sums meet columns, the smallest instead of the largest.
// CHECK-LABEL: @no_softmax
// CHECK-NOT: graph.softmax
func.func @no_softmax(%x: tensor<3x3xf32>, %y: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) {
  %m = graph.reduce max %x axes [1] keepdims : tensor<3x3xf32> -> tensor<3x1xf32>
  %d = graph.sub %x, %m : tensor<3x3xf32>, tensor<3x1xf32> -> tensor<3x3xf32>
  %e = graph.exp %d : tensor<3x3xf32>
  %s0 = graph.reduce sum %e axes [0] keepdims : tensor<3x3xf32> -> tensor<1x3xf32>
  %0 = graph.div %e, %s0 : tensor<3x3xf32>, tensor<1x3xf32> -> tensor<3x3xf32>

  %my = graph.reduce max %y axes [1] keepdims : tensor<3x3xf32> -> tensor<3x1xf32>
  %dy = graph.sub %x, %my : tensor<3x3xf32>, tensor<3x1xf32> -> tensor<3x3xf32>
  %ey = graph.exp %dy : tensor<3x3xf32>
  %sy = graph.reduce sum %ey axes [1] keepdims : tensor<3x3xf32> -> tensor<3x1xf32>
  %1 = graph.div %ey, %sy : tensor<3x3xf32>, tensor<3x1xf32> -> tensor<3x3xf32>

  %mc = graph.reduce max %x axes [1] : tensor<3x3xf32> -> tensor<3xf32>
  %dc = graph.sub %x, %mc : tensor<3x3xf32>, tensor<3xf32> -> tensor<3x3xf32>
  %ec = graph.exp %dc : tensor<3x3xf32>
  %sc = graph.reduce sum %ec axes [1] keepdims : tensor<3x3xf32> -> tensor<3x1xf32>
  %2 = graph.div %ec, %sc : tensor<3x3xf32>, tensor<3x1xf32> -> tensor<3x3xf32>

  %l = graph.reduce min %y axes [1] keepdims : tensor<3x3xf32> -> tensor<3x1xf32>
  %dl = graph.sub %y, %l : tensor<3x3xf32>, tensor<3x1xf32> -> tensor<3x3xf32>
  %el = graph.exp %dl : tensor<3x3xf32>
  %sl = graph.reduce sum %el axes [1] keepdims : tensor<3x3xf32> -> tensor<3x1xf32>
  %3 = graph.div %el, %sl : tensor<3x3xf32>, tensor<3x1xf32> -> tensor<3x3xf32>
  return %0, %1, %2, %3 : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>
}

// A gradient reads the exponentials: they are computed once.
// CHECK-LABEL: @read_elsewhere
// CHECK-NOT: graph.softmax
func.func @read_elsewhere(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %m = graph.reduce max %x axes [1] keepdims : tensor<2x3xf32> -> tensor<2x1xf32>
  %d = graph.sub %x, %m : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  %e = graph.exp %d : tensor<2x3xf32>
  %s = graph.reduce sum %e axes [1] keepdims : tensor<2x3xf32> -> tensor<2x1xf32>
  %p = graph.div %e, %s : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  return %p, %e : tensor<2x3xf32>, tensor<2x3xf32>
}
