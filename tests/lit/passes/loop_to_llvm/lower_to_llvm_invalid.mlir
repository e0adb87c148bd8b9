// RUN: not mlc-opt %s --split-input-file --lower-to-llvm 2>&1 | filecheck %s

// CHECK: lower_to_llvm_invalid.mlir:4:1: error: func.func @main: required a body and no results; outputs are arguments
func.func @main(%x: i32) -> i32 {
  return %x : i32
}

// -----

// CHECK: error: func.func @two: found 2 results, required at most one
func.func private @two(%x: i32) -> (i32, i32) {
  return %x, %x : i32, i32
}

// -----

// CHECK: error: vector.broadcast: vector<2x2xf32> is no vector of one dimension, as this target requires
func.func private @matrix(%x: f32) {
  %0 = vector.broadcast %x : f32 to vector<2x2xf32>
  return
}

// -----

// CHECK: error: memref.reinterpret_cast: an offset is not supported; use memref.view
func.func private @offset(%x: memref<8xf32>) {
  %0 = memref.reinterpret_cast %x to offset: [4], sizes: [4], strides: [1] : memref<8xf32> to memref<4xf32>
  return
}

// -----

// CHECK: error: 'memref.dim' cannot be lowered to llvm: no pattern of lower-to-llvm takes it
func.func private @dim(%x: memref<8xf32>, %i: index) {
  %0 = memref.dim %x, %i : memref<8xf32>
  return
}
