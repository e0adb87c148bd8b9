// RUN: mlc-opt --canonicalize --check-each %s | filecheck %s

// What is broadcast by hand is broadcast by the op.
// CHECK-LABEL: @narrow
func.func @narrow(%x: tensor<2x3xf32>, %m: tensor<2x1xf32>, %c: tensor<1x3xi1>) -> (tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xf32>) {
  // CHECK-NEXT: %0 = graph.sub %x, %m : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %1 = graph.compare lt, %m, %x : tensor<2x1xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK-NEXT: %2 = graph.where %c, %x, %m : tensor<1x3xi1>, tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: return
  %w = graph.broadcast %m : tensor<2x1xf32> -> tensor<2x3xf32>
  %d = graph.broadcast %c : tensor<1x3xi1> -> tensor<2x3xi1>
  %0 = graph.sub %x, %w : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.compare lt, %w, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  %2 = graph.where %d, %x, %w : tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xf32>
}

// One operand at least has the shape of the result.
// CHECK-LABEL: @wide
func.func @wide(%m: tensor<2x1xf32>, %n: tensor<1x1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK: %[[W:.*]] = graph.broadcast %m
  // CHECK: graph.mul %[[W]], %m : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  // CHECK: %[[V:.*]] = graph.broadcast %n
  // CHECK: graph.add %m, %[[V]] : tensor<2x1xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %w = graph.broadcast %m : tensor<2x1xf32> -> tensor<2x3xf32>
  %0 = graph.mul %w, %m : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  %v = graph.broadcast %n : tensor<1x1xf32> -> tensor<2x3xf32>
  %1 = graph.add %w, %v : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @known
func.func @known(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK: %[[Y:.*]] = graph.where %{{.*}}, %x, %y
  // CHECK: return %x, %[[Y]], %x
  %true = graph.constant dense<true> : tensor<i1>
  %false = graph.constant dense<false> : tensor<2x3xi1>
  %0 = graph.where %true, %x, %y : tensor<i1>, tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %1 = graph.where %false, %x, %y : tensor<2x3xi1>, tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %2 = graph.where %false, %y, %x : tensor<2x3xi1>, tensor<3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}
