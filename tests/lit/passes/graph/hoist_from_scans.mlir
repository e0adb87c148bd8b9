// RUN: mlc-opt --hoist-from-scans --check-each %s | filecheck %s

// One product for all steps, with its bias; what reads the state stays, and so does an op on rows that it reads.
// CHECK-LABEL: @product_of_rows
func.func @product_of_rows(%xs: tensor<16x4x8xf32>, %h0: tensor<4x6xf32>, %w: tensor<8x6xf32>) -> tensor<4x6xf32> {
  // CHECK-NEXT: %0 = graph.reshape %xs : tensor<16x4x8xf32> -> tensor<64x8xf32>
  // CHECK-NEXT: %1 = graph.matmul %0, %w : tensor<64x8xf32>, tensor<8x6xf32> -> tensor<64x6xf32>
  // CHECK-NEXT: %bias = graph.constant dense<5.000000e-01> : tensor<6xf32>
  // CHECK-NEXT: %2 = graph.add %1, %bias : tensor<64x6xf32>, tensor<6xf32> -> tensor<64x6xf32>
  // CHECK-NEXT: %3 = graph.reshape %2 : tensor<64x6xf32> -> tensor<16x4x6xf32>
  // CHECK-NEXT: graph.scan 16 carry (%h = %h0) over (%x = %xs backwards, %[[Y:.*]] = %3 backwards) : (tensor<4x6xf32>, tensor<16x4x8xf32>, tensor<16x4x6xf32>) -> tensor<4x6xf32> {
  // CHECK-NEXT:   %[[A:.*]] = graph.add %[[Y]], %h
  // CHECK-NEXT:   %[[B:.*]] = graph.slice %x
  // CHECK-NEXT:   %[[C:.*]] = graph.mul %[[A]], %[[B]]
  // CHECK-NEXT:   graph.yield %[[C]]
  %0 = graph.scan 16 carry (%h = %h0) over (%x = %xs backwards) using (%v = %w)
      : (tensor<4x6xf32>, tensor<16x4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32> {
    %bias = graph.constant dense<0.5> : tensor<6xf32>
    %1 = graph.matmul %x, %v : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
    %2 = graph.add %1, %bias : tensor<4x6xf32>, tensor<6xf32> -> tensor<4x6xf32>
    %3 = graph.add %2, %h : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
    %4 = graph.slice %x starts [0, 0] ends [4, 6] strides [1, 1] : tensor<4x8xf32> -> tensor<4x6xf32>
    %5 = graph.mul %3, %4 : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
    graph.yield %5 : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// What is the same in all steps, a loop included, is computed once.
// CHECK-LABEL: @invariant
func.func @invariant(%a: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %0 = graph.exp %w
  // CHECK-NEXT: %1 = graph.scan 3 carry (%t = %0)
  // CHECK:      %[[S:.*]] = graph.scan 5 carry (%s = %a) using (%{{.*}} = %1)
  // CHECK-NEXT:   graph.sub %s
  // CHECK-NEXT:   graph.yield
  %0 = graph.scan 5 carry (%s = %a) using (%v = %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %1 = graph.exp %v : tensor<4xf32>
    %2 = graph.scan 3 carry (%t = %1) : (tensor<4xf32>) -> tensor<4xf32> {
      %4 = graph.tanh %t : tensor<4xf32>
      graph.yield %4 : tensor<4xf32>
    }
    %3 = graph.sub %s, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %3 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// What is only computed to be stacked needs no loop, whatever the ranks; in another order it does.
// CHECK-LABEL: @stacked
func.func @stacked(%xs: tensor<5x3xf32>, %ys: tensor<5x2x3xf32>, %w: tensor<2x1xf32>, %m: tensor<3x3xf32>)
    -> (tensor<5x2x3xf32>, tensor<5x3x2xf32>, tensor<5x2xf32>, tensor<5x2x3xf32>) {
  // CHECK-DAG: %[[X:.*]] = graph.reshape %xs : tensor<5x3xf32> -> tensor<5x1x3xf32>
  // CHECK-DAG: %[[A:.*]] = graph.add %[[X]], %ys : tensor<5x1x3xf32>, tensor<5x2x3xf32> -> tensor<5x2x3xf32>
  // CHECK-DAG: %[[B:.*]] = graph.mul %[[A]], %w : tensor<5x2x3xf32>, tensor<2x1xf32> -> tensor<5x2x3xf32>
  // CHECK-DAG: %[[C:.*]] = graph.transpose %[[B]] [0, 2, 1]
  // CHECK-DAG: %[[D:.*]] = graph.softmax %[[C]] axis 1
  // CHECK-DAG: %[[E:.*]] = graph.reduce max %[[B]] axes [2]
  // CHECK:     %[[Z:.*]] = graph.scan 5 over (%{{.*}} = %[[B]]) stack (backwards)
  // CHECK:     return %[[B]], %[[D]], %[[E]], %[[Z]]
  %0:4 = graph.scan 5 over (%x = %xs, %y = %ys) using (%v = %w) stack (forwards, forwards, forwards, backwards)
      : (tensor<5x3xf32>, tensor<5x2x3xf32>, tensor<2x1xf32>)
      -> (tensor<5x2x3xf32>, tensor<5x3x2xf32>, tensor<5x2xf32>, tensor<5x2x3xf32>) {
    %1 = graph.add %x, %y : tensor<3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %2 = graph.mul %1, %v : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
    %3 = graph.transpose %2 [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    %4 = graph.softmax %3 axis 0 : tensor<3x2xf32>
    %5 = graph.reduce max %2 axes [1] : tensor<2x3xf32> -> tensor<2xf32>
    graph.yield %2, %4, %5, %2 : tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<2x3xf32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<5x2x3xf32>, tensor<5x3x2xf32>, tensor<5x2xf32>, tensor<5x2x3xf32>
}

// Products of rows with rows, of a matrix with rows, and of more than matrices.
// CHECK-LABEL: @products
func.func @products(%xs: tensor<5x3x4xf32>, %ys: tensor<5x4x2xf32>, %m: tensor<7x3xf32>, %zs: tensor<5x6x3x4xf32>)
    -> (tensor<5x3x2xf32>, tensor<5x7x4xf32>, tensor<5x6x3x2xf32>) {
  // CHECK-DAG: graph.matmul %xs, %ys : tensor<5x3x4xf32>, tensor<5x4x2xf32> -> tensor<5x3x2xf32>
  // CHECK-DAG: graph.matmul %m, %xs : tensor<7x3xf32>, tensor<5x3x4xf32> -> tensor<5x7x4xf32>
  // CHECK-DAG: %[[Y:.*]] = graph.reshape %ys : tensor<5x4x2xf32> -> tensor<5x1x4x2xf32>
  // CHECK-DAG: graph.matmul %zs, %[[Y]] : tensor<5x6x3x4xf32>, tensor<5x1x4x2xf32> -> tensor<5x6x3x2xf32>
  // CHECK-NOT: graph.scan
  %0:3 = graph.scan 5 over (%x = %xs, %y = %ys, %z = %zs) using (%n = %m)
      : (tensor<5x3x4xf32>, tensor<5x4x2xf32>, tensor<5x6x3x4xf32>, tensor<7x3xf32>)
      -> (tensor<5x3x2xf32>, tensor<5x7x4xf32>, tensor<5x6x3x2xf32>) {
    %1 = graph.matmul %x, %y : tensor<3x4xf32>, tensor<4x2xf32> -> tensor<3x2xf32>
    %2 = graph.matmul %n, %x : tensor<7x3xf32>, tensor<3x4xf32> -> tensor<7x4xf32>
    %3 = graph.matmul %z, %y : tensor<6x3x4xf32>, tensor<4x2xf32> -> tensor<6x3x2xf32>
    graph.yield %1, %2, %3 : tensor<3x2xf32>, tensor<7x4xf32>, tensor<6x3x2xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<5x3x2xf32>, tensor<5x7x4xf32>, tensor<5x6x3x2xf32>
}

// Left alone: what depends on the state, rows of both directions, and elementwise ops on rows.
// CHECK-LABEL: @stays
func.func @stays(%xs: tensor<5x3x3xf32>, %h0: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<5x3x3xf32>) {
  // CHECK-NEXT: graph.scan 5 carry (%h = %h0) over (%x = %xs, %y = %xs backwards)
  // CHECK-NEXT:   graph.exp %x
  // CHECK-NEXT:   graph.matmul %x, %y
  // CHECK-NEXT:   graph.matmul %h
  %0:2 = graph.scan 5 carry (%h = %h0) over (%x = %xs, %y = %xs backwards)
      : (tensor<3x3xf32>, tensor<5x3x3xf32>, tensor<5x3x3xf32>) -> (tensor<3x3xf32>, tensor<5x3x3xf32>) {
    %1 = graph.exp %x : tensor<3x3xf32>
    %2 = graph.matmul %x, %y : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
    %3 = graph.matmul %h, %1 : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
    graph.yield %3, %2 : tensor<3x3xf32>, tensor<3x3xf32>
  }
  return %0#0, %0#1 : tensor<3x3xf32>, tensor<5x3x3xf32>
}

// Sums in a wider type stay so.
// CHECK-LABEL: @sums_of_bytes
// CHECK:         graph.matmul %{{.*}}, %w : tensor<64x8xui8>, tensor<8x6xi8> -> tensor<64x6xi32>
// CHECK:         graph.matmul %{{.*}}, %{{.*}} : tensor<16x4x6xi8>, tensor<16x6x4xi8> -> tensor<16x4x4xi32>
func.func @sums_of_bytes(%xs: tensor<16x4x8xui8>, %ys: tensor<16x4x6xi8>, %zs: tensor<16x6x4xi8>, %h0: tensor<4x6xi32>, %w: tensor<8x6xi8>) -> (tensor<4x6xi32>, tensor<16x4x4xi32>) {
  %0, %1 = graph.scan 16 carry (%h = %h0) over (%x = %xs, %y = %ys, %z = %zs) using (%v = %w)
      : (tensor<4x6xi32>, tensor<16x4x8xui8>, tensor<16x4x6xi8>, tensor<16x6x4xi8>, tensor<8x6xi8>) -> (tensor<4x6xi32>, tensor<16x4x4xi32>) {
    %2 = graph.matmul %x, %v : tensor<4x8xui8>, tensor<8x6xi8> -> tensor<4x6xi32>
    %3 = graph.add %2, %h : tensor<4x6xi32>, tensor<4x6xi32> -> tensor<4x6xi32>
    %4 = graph.matmul %y, %z : tensor<4x6xi8>, tensor<6x4xi8> -> tensor<4x4xi32>
    graph.yield %3, %4 : tensor<4x6xi32>, tensor<4x4xi32>
  }
  return %0, %1 : tensor<4x6xi32>, tensor<16x4x4xi32>
}
