// RUN: not mlc-opt %s --split-input-file --convert-loop-to-llvm 2>&1 | filecheck %s

// CHECK: convert_loop_to_llvm_invalid.mlir:4:1: error: func.func @main: required a body and no results; outputs are arguments
func.func @main(%x: i32) -> i32 {
  return %x : i32
}

// -----

// CHECK: error: func.func @two: found 2 results, required at most one
func.func private @two(%x: i32) -> (i32, i32) {
  return %x, %x : i32, i32
}

// -----

// CHECK: error: vector.broadcast: vector<2x2xf32> is not a vector of one dimension, as this target requires
func.func private @matrix(%x: f32) {
  %0 = vector.broadcast %x : f32 to vector<2x2xf32>
  return
}

// -----

// CHECK: error: memref.reinterpret_cast: an offset is not supported; use memref.view
func.func private @offset(%x: memref<8xf32>) {
  %0 = memref.reinterpret_cast %x to offset: [4], sizes: [4], strides: [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  return
}

// -----

// CHECK: error: 'memref.dim' cannot be lowered to llvm: no pattern of convert-loop-to-llvm handles it
func.func private @dim(%x: memref<8xf32>, %i: index) {
  %0 = memref.dim %x, %i : memref<8xf32>
  return
}

// -----

// Kernels are compiled for arguments that do not overlap.
func.func private @shift(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for serial "i" %i = 0 to 7 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %y[%i + 1] : memref<8xf32>
  }
  return
}

// CHECK: error: func.call @shift: arguments 0 and 1 are the same memory, and @shift writes argument 1; required: a buffer of its own for what a function writes
func.func @twice(%y: memref<8xf32> {mlc.output}) {
  func.call @shift(%y, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

func.func private @inner(%x: memref<2x4xf32>, %y: memref<8xf32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<2x4xf32>
  loop.store %a, %y[1] : memref<8xf32>
  return
}

func.func private @outer(%x: memref<2x4xf32>, %y: memref<8xf32> {mlc.output}) {
  func.call @inner(%x, %y) : (memref<2x4xf32>, memref<8xf32>) -> ()
  return
}

// Through a view of it, and through a call: @outer writes what @inner does.
// CHECK: error: func.call @outer: arguments 0 and 1 are the same memory, and @outer writes argument 1
func.func @through_a_view(%y: memref<8xf32> {mlc.output}) {
  %v = memref.reinterpret_cast %y to offset: [0], sizes: [2, 4], strides: [4, 1] : memref<8xf32> to memref<2x4xf32>
  func.call @outer(%v, %y) : (memref<2x4xf32>, memref<8xf32>) -> ()
  return
}

// -----

func.func private @copy(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %a = loop.load %x[0] : memref<4xf32>
  loop.store %a, %y[1] : memref<4xf32>
  return
}

// CHECK: error: func.call @copy: arguments 0 and 1 are the same memory, and @copy writes argument 1
func.func @parts(%w: memref<64xi8> {mlc.workspace}) {
  %first = arith.constant 0 : index
  %second = arith.constant 12 : index
  %a = memref.view %w[%first][] : memref<64xi8> to memref<4xf32>
  %b = memref.view %w[%second][] : memref<64xi8> to memref<4xf32>
  func.call @copy(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func private @copy(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %a = loop.load %x[0] : memref<4xf32>
  loop.store %a, %y[1] : memref<4xf32>
  return
}

// Where a view starts is not known here: anywhere.
// CHECK: error: func.call @copy: arguments 0 and 1 are the same memory, and @copy writes argument 1
func.func @somewhere(%at: index, %w: memref<64xi8> {mlc.workspace}) {
  %first = arith.constant 0 : index
  %a = memref.view %w[%first][] : memref<64xi8> to memref<4xf32>
  %b = memref.view %w[%at][] : memref<64xi8> to memref<4xf32>
  func.call @copy(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func private @flags(%x: memref<4xi1>, %y: memref<4xi1> {mlc.output}) {
  %a = loop.load %x[0] : memref<4xi1>
  loop.store %a, %y[1] : memref<4xi1>
  return
}

// Truth values take a byte each.
// CHECK: error: func.call @flags: arguments 0 and 1 are the same memory, and @flags writes argument 1
func.func @same_flags(%y: memref<4xi1> {mlc.output}) {
  func.call @flags(%y, %y) : (memref<4xi1>, memref<4xi1>) -> ()
  return
}

// -----

func.func private @inner(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %a = loop.load %x[0] : memref<4xf32>
  loop.store %a, %y[1] : memref<4xf32>
  return
}

func.func private @outer(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}, %z: memref<4xf32>) {
  func.call @inner(%z, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  %a = loop.load %x[0] : memref<4xf32>
  loop.store %a, %y[2] : memref<4xf32>
  return
}

// What @outer only reads, by way of @inner, may be passed twice.
// CHECK: error: func.call @outer: arguments 0 and 1 are the same memory, and @outer writes argument 1
func.func @read_twice(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  func.call @outer(%x, %y, %x) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  func.call @outer(%y, %y, %x) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// No pass in front of this one would help.
// CHECK: error: convert-loop-to-llvm: found math.cbrt on f32, which is more than an instruction, and expand-math has no formula for it; required: a function of f32 or f64 that it has one for
func.func private @no_formula(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %a = loop.load %x[0] : memref<4xf32>
  %b = math.cbrt %a : f32
  loop.store %b, %y[0] : memref<4xf32>
  return
}

// -----

func.func private @copy(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %a = loop.load %x[0] : memref<4xf32>
  loop.store %a, %y[1] : memref<4xf32>
  return
}

// Spans have an element in common.
// CHECK: error: func.call @copy: arguments 0 and 1 are the same memory, and @copy writes argument 1
func.func private @spans(%y: memref<8xf32> {mlc.output}) {
  %a = loop.span %y from 1 : memref<8xf32> -> memref<4xf32>
  %b = loop.span %y from 4 : memref<8xf32> -> memref<4xf32>
  func.call @copy(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func private @fill(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %s = loop.span %y from 1 : memref<4xf32> -> memref<1xf32>
  %0 = loop.load %x[0] : memref<4xf32>
  loop.store %0, %s[0] : memref<1xf32>
  return
}

// What is written through a span is written.
// CHECK: error: func.call @fill: arguments 0 and 1 are the same memory, and @fill writes argument 1
func.func private @main(%y: memref<4xf32> {mlc.output}) {
  func.call @fill(%y, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// CHECK: error: argument 1 of a model is a tensor or a buffer, found f32
func.func @scalar(%y: memref<4xf32> {mlc.output}, %a: f32) {
  %c0 = arith.constant 0 : index
  memref.store %a, %y[%c0] : memref<4xf32>
  return
}
