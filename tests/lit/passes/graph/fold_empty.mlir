// RUN: mlc-opt %s --fold-empty | filecheck %s

// What has no elements is a constant, and what it goes into does without it.
// CHECK-LABEL: @ops
func.func @ops(%x: tensor<0x8xf32>, %y: tensor<4x8xf32>, %w: tensor<0x5xf32>, %i: tensor<0x1xi64>) -> (tensor<0x8xf32>, tensor<4x8xf32>, tensor<8x5xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<2x8xf32>) {
  // CHECK-NEXT: %[[NONE:.*]] = graph.constant dense<> : tensor<0x8xf32>
  %0 = graph.relu %x : tensor<0x8xf32>
  // CHECK-NEXT: %[[JOINED:.*]] = graph.concat %y axis 0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.concat %0, %y, %x axis 0 : tensor<0x8xf32>, tensor<4x8xf32>, tensor<0x8xf32> -> tensor<4x8xf32>
  %t = graph.transpose %x [1, 0] : tensor<0x8xf32> -> tensor<8x0xf32>
  // CHECK-NEXT: %[[PRODUCT:.*]] = graph.constant dense<0.000000e+00> : tensor<8x5xf32>
  %2 = graph.matmul %t, %w : tensor<8x0xf32>, tensor<0x5xf32> -> tensor<8x5xf32>
  %3 = graph.scatter_nd set %y, %i, %x axes [0] : tensor<4x8xf32>, tensor<0x1xi64>, tensor<0x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: %[[GREATEST:.*]] = graph.constant dense<0xff800000> : tensor<8xf32>
  %4 = graph.reduce max %x axes [0] : tensor<0x8xf32> -> tensor<8xf32>
  // CHECK-NEXT: %[[PADDED:.*]] = graph.constant dense<1.500000e+00> : tensor<2x8xf32>
  %5 = graph.pad %x low [0, 0] high [2, 0] with 1.5 : f32 : tensor<0x8xf32> -> tensor<2x8xf32>
  // CHECK-NEXT: return %[[NONE]], %[[JOINED]], %[[PRODUCT]], %y, %[[GREATEST]], %[[PADDED]]
  return %0, %1, %2, %3, %4, %5 : tensor<0x8xf32>, tensor<4x8xf32>, tensor<8x5xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<2x8xf32>
}

// A kernel that takes or gives such a tensor is opened; another one stays.
// CHECK-LABEL: @kernels
func.func @kernels(%x: tensor<0xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NOT: "open"
  // CHECK: %[[SUM:.*]] = graph.concat %y axis 0
  // CHECK: graph.fusion "closed" (%{{.*}} = %[[SUM]])
  %0 = graph.fusion "open" (%a = %x, %b = %y) : (tensor<0xf32>, tensor<2xf32>) -> tensor<2xf32> {
    %1 = graph.concat %a, %b axis 0 : tensor<0xf32>, tensor<2xf32> -> tensor<2xf32>
    graph.yield %1 : tensor<2xf32>
  }
  %2 = graph.fusion "closed" (%a = %0) : (tensor<2xf32>) -> tensor<2xf32> {
    // CHECK-NEXT: graph.relu
    // CHECK-NEXT: graph.yield
    %3 = graph.relu %a : tensor<2xf32>
    graph.yield %3 : tensor<2xf32>
  }
  return %2 : tensor<2xf32>
}

// A loop carries, takes, uses and stacks only what has elements; one of no steps gives what it was given.
// CHECK-LABEL: @loops
func.func @loops(%h0: tensor<4xf32>, %e: tensor<8x0xf32>, %g: tensor<0xf32>, %xs: tensor<0x4xf32>) -> (tensor<4xf32>, tensor<8x0xf32>, tensor<4xf32>) {
  // CHECK: graph.scan 8 carry (%h = %h0) : (tensor<4xf32>) -> tensor<4xf32>
  %y:2 = graph.scan 8 carry (%h = %h0) over (%x = %e) using (%q = %g)
      : (tensor<4xf32>, tensor<8x0xf32>, tensor<0xf32>) -> (tensor<4xf32>, tensor<8x0xf32>) {
    // CHECK-NEXT: graph.add %h, %h
    // CHECK-NEXT: graph.yield %{{.*}} : tensor<4xf32>
    %0 = graph.add %h, %h : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %1 = graph.exp %x : tensor<0xf32>
    graph.yield %0, %1 : tensor<4xf32>, tensor<0xf32>
  }
  %z = graph.scan 0 carry (%h = %h0) over (%x = %xs) : (tensor<4xf32>, tensor<0x4xf32>) -> tensor<4xf32> {
    %0 = graph.add %h, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  }
  // CHECK: return %{{.*}}, %{{.*}}, %h0
  return %y#0, %y#1, %z : tensor<4xf32>, tensor<8x0xf32>, tensor<4xf32>
}

// Everything else stays as it is.
// CHECK-LABEL: @others
func.func @others(%x: tensor<4xf32>, %s: tensor<?xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %0 = graph.concat %x axis 0
  %0 = graph.concat %x axis 0 : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: %1 = graph.relu %0
  %1 = graph.relu %0 : tensor<4xf32>
  // CHECK-NEXT: return %1
  return %1 : tensor<4xf32>
}

// Branches and loops lose what has no elements.
// CHECK-LABEL: @branches
// CHECK:         %[[E:.*]] = graph.constant dense<> : tensor<0xf32>
// CHECK-NEXT:    %[[R:.*]] = graph.if %c using (%x) : (tensor<2xf32>) -> (tensor<2xf32>) {
// CHECK-NEXT:    ^bb0(%[[Y:.*]]: tensor<2xf32>):
// CHECK:           graph.concat %[[Y]] axis 0
// CHECK:         return %[[E]], %[[R]]
func.func @branches(%c: tensor<i1>, %a: tensor<0xf32>, %x: tensor<2xf32>) -> (tensor<0xf32>, tensor<2xf32>) {
  %0:2 = graph.if %c using (%a, %x) : (tensor<0xf32>, tensor<2xf32>) -> (tensor<0xf32>, tensor<2xf32>) {
  ^bb0(%b: tensor<0xf32>, %y: tensor<2xf32>):
    %1 = graph.exp %b : tensor<0xf32>
    %2 = graph.concat %1, %y axis 0 : tensor<0xf32>, tensor<2xf32> -> tensor<2xf32>
    graph.yield %1, %2 : tensor<0xf32>, tensor<2xf32>
  } else {
  ^bb0(%b: tensor<0xf32>, %y: tensor<2xf32>):
    graph.yield %b, %y : tensor<0xf32>, tensor<2xf32>
  }
  return %0#0, %0#1 : tensor<0xf32>, tensor<2xf32>
}

// CHECK-LABEL: @loop_of_nothing
// CHECK:         graph.while carry (%x) using () : (tensor<i64>), () -> (tensor<i64>) {
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>):
// CHECK:         } do {
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>):
// CHECK-NEXT:      graph.constant dense<5>
// CHECK-NEXT:      graph.max
// CHECK-NEXT:      graph.yield %{{.*}} : tensor<i64>
func.func @loop_of_nothing(%a: tensor<0xf32>, %x: tensor<i64>) -> (tensor<0xf32>, tensor<i64>) {
  %0:2 = graph.while carry (%a, %x) using (%a) : (tensor<0xf32>, tensor<i64>), (tensor<0xf32>) -> (tensor<0xf32>, tensor<i64>) {
  ^bb0(%b: tensor<0xf32>, %i: tensor<i64>, %u: tensor<0xf32>):
    %five = graph.constant dense<5> : tensor<i64>
    %1 = graph.compare lt, %i, %five : tensor<i64>, tensor<i64> -> tensor<i1>
    graph.yield %1 : tensor<i1>
  } do {
  ^bb0(%b: tensor<0xf32>, %i: tensor<i64>, %u: tensor<0xf32>):
    %one = graph.constant dense<5> : tensor<i64>
    %2 = graph.max %i, %one : tensor<i64>, tensor<i64> -> tensor<i64>
    %3 = graph.mul %b, %u : tensor<0xf32>, tensor<0xf32> -> tensor<0xf32>
    graph.yield %3, %2 : tensor<0xf32>, tensor<i64>
  }
  return %0#0, %0#1 : tensor<0xf32>, tensor<i64>
}
