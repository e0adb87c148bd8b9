// RUN: mlc-opt --cse --split-input-file %s | filecheck %s

// CHECK-LABEL: @equal_ops
func.func @equal_ops(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %0 = graph.add %x, %y
  %0 = graph.add %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.add %y, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: %1 = graph.exp %0
  %2 = graph.exp %0 : tensor<4xf32>
  %3 = graph.exp %1 : tensor<4xf32>
  // CHECK-NEXT: return %1, %1
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @different_ops
func.func @different_ops(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: graph.sub
  // CHECK-NEXT: graph.sub
  %0 = graph.sub %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.sub %y, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: graph.gelu
  // CHECK-NEXT: graph.gelu
  %2 = graph.gelu %x : tensor<4xf32>
  %3 = graph.gelu %x approximate "tanh" : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @fusions
func.func @fusions(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: graph.fusion "f"
  %0 = graph.fusion "f" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %4 = graph.exp %a : tensor<4xf32>
    graph.yield %4 : tensor<4xf32>
  }
  %1 = graph.fusion "f" (%b = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %5 = graph.exp %b : tensor<4xf32>
    graph.yield %5 : tensor<4xf32>
  }
  // CHECK: graph.fusion "f"
  %2 = graph.fusion "f" (%c = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %6 = graph.log %c : tensor<4xf32>
    graph.yield %6 : tensor<4xf32>
  }
  // CHECK: return %0, %0, %1
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A read is repeated after a write, and after a loop that writes; not otherwise.
// CHECK-LABEL: @loads
func.func @loads(%m: memref<4xf32>, %i: index) -> (f32, f32, f32) {
  // CHECK-NEXT: %0 = memref.load
  %0 = memref.load %m[%i] : memref<4xf32>
  %1 = memref.load %m[%i] : memref<4xf32>
  // CHECK-NEXT: memref.store
  memref.store %0, %m[%i] : memref<4xf32>
  // CHECK-NEXT: %1 = memref.load
  %2 = memref.load %m[%i] : memref<4xf32>
  // CHECK-NEXT: return %0, %0, %1
  return %0, %1, %2 : f32, f32, f32
}

// CHECK-LABEL: @loop_with_write
func.func @loop_with_write(%m: memref<4xf32>, %i: index, %n: index, %v: f32) -> (f32, f32) {
  // CHECK-NEXT: %0 = memref.load
  %0 = memref.load %m[%i] : memref<4xf32>
  // CHECK-NEXT: scf.for
  scf.for %k = %i to %n step %n {
    // CHECK-NEXT: memref.load
    %1 = memref.load %m[%i] : memref<4xf32>
    %2 = arith.addf %1, %v : f32
    memref.store %2, %m[%i] : memref<4xf32>
  }
  // CHECK: }
  // CHECK-NEXT: %[[V:.*]] = memref.load
  %3 = memref.load %m[%i] : memref<4xf32>
  // CHECK-NEXT: return %0, %[[V]]
  return %0, %3 : f32, f32
}

// -----

// One operand, two types of the result.
// CHECK-LABEL: @types
// CHECK-NEXT: arith.extsi %x : i8 to i32
// CHECK-NEXT: arith.extsi %x : i8 to i64
func.func @types(%x: i8) -> (i32, i64) {
  %0 = arith.extsi %x : i8 to i32
  %1 = arith.extsi %x : i8 to i64
  return %0, %1 : i32, i64
}

// -----

// Bodies that differ in the order of operands alone.
// CHECK-LABEL: @bodies
// CHECK: graph.fusion
// CHECK-NEXT: graph.sub %a, %b
// CHECK: graph.fusion
// CHECK-NEXT: graph.sub %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}
func.func @bodies(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.fusion "f" (%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %2 = graph.sub %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  }
  %1 = graph.fusion "f" (%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %3 = graph.sub %b, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %3 : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What is isolated from above uses nothing from there.
// CHECK: arith.constant 1 : i32
// CHECK-LABEL: @isolated
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: return %[[ONE]]
%0 = arith.constant 1 : i32
func.func @isolated() -> i32 {
  %1 = arith.constant 1 : i32
  return %1 : i32
}
