// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @all_parts
func.func @all_parts(%h0: tensor<4xf32>, %xs: tensor<8x4xf32>, %w: tensor<f32>) -> (tensor<4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT: %y, %y_1, %y_2 = graph.scan 8 carry (%h = %h0) over (%x = %xs, %z = %xs backwards) using (%v = %w) stack (forwards, backwards) : (tensor<4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT:   %0 = graph.add %h, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT:   %1 = graph.mul %0, %v : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  // CHECK-NEXT:   graph.yield %0, %1, %z : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: }
  %y:3 = graph.scan 8 carry (%h = %h0) over (%x = %xs, %z = %xs backwards) using (%v = %w) stack (forwards, backwards)
      : (tensor<4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
    %0 = graph.add %h, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %1 = graph.mul %0, %v : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
    graph.yield %0, %1, %z : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %y#0, %y#1, %y#2 : tensor<4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: @no_parts
func.func @no_parts() {
  // CHECK-NEXT: graph.scan 3 : () -> () attributes {my.note = 1 : i64} {
  // CHECK-NEXT:   graph.yield
  // CHECK-NEXT: }
  graph.scan 3 : () -> () attributes {my.note = 1 : i64} {
    graph.yield
  }
  return
}

// CHECK-LABEL: @unknown_extents
func.func @unknown_extents(%h0: tensor<?xf32>, %xs: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: graph.scan 5 carry (%h = %h0) over (%x = %xs) : (tensor<?xf32>, tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>)
  %0, %1 = graph.scan 5 carry (%h = %h0) over (%x = %xs) : (tensor<?xf32>, tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
    %2 = graph.add %h, %x : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    graph.yield %2, %2 : tensor<?xf32>, tensor<?xf32>
  }
  return %1 : tensor<?x?xf32>
}
