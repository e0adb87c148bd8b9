// RUN: mlc-opt --dce --split-input-file %s | filecheck %s

// CHECK-LABEL: @unused_chain
func.func @unused_chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32>
  %1 = graph.neg %0 : tensor<4xf32>
  // CHECK-NEXT: %0 = graph.relu %x
  // CHECK-NEXT: return %0
  %2 = graph.relu %x : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: @inside_fusion
func.func @inside_fusion(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: graph.fusion
  // CHECK-NEXT: graph.relu
  // CHECK-NEXT: graph.yield
  %y = graph.fusion "relu" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %0 = graph.exp %a : tensor<4xf32>
    %1 = graph.relu %a : tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  // CHECK: return
  return %y : tensor<4xf32>
}

// -----

// Effects keep ops, and the loops around them; a load has none that anybody could notice.
// CHECK-LABEL: @memory
func.func @memory(%m: memref<4xf32>, %v: f32) {
  // CHECK-NEXT: %i = arith.constant 0
  %i = arith.constant 0 : index
  %0 = memref.load %m[%i] : memref<4xf32>
  // CHECK-NEXT: memref.store
  memref.store %v, %m[%i] : memref<4xf32>
  // CHECK-NEXT: return
  return
}

// -----

// CHECK-NOT: @unused
// CHECK-NOT: @called_by_unused
// CHECK: @called
// CHECK: @main
func.func private @unused(%x: i32) -> i32 {
  %0 = func.call @called_by_unused(%x) : (i32) -> i32
  return %0 : i32
}
func.func private @called_by_unused(%x: i32) -> i32 {
  return %x : i32
}
func.func private @called(%x: i32) -> i32 {
  return %x : i32
}
func.func @main(%x: i32) -> i32 {
  %0 = func.call @called(%x) : (i32) -> i32
  return %0 : i32
}
