// RUN: mlc-opt %s --target x86-64-v3 --lower-to-llvm 2>&1 >%t | filecheck %s

// An argument that is stored to, by a kernel and under another type, too, and is no output.
// CHECK: lost_results.mlir:[[# @LINE + 2]]:1: warning: argument '%y' of a model is an input, and is stored to; marked {mlc.output}, it is a result that callers get
// CHECK: lost_results.mlir:[[# @LINE + 1]]:1: warning: argument '%z' of a model is an input, and is stored to
func.func @lost(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<4xf32>
  memref.store %v, %y[%c0] : memref<4xf32>
  %flat = memref.collapse_shape %z [[0, 1]] : memref<2x2xf32> into memref<4xf32>
  func.call @kernel(%x, %flat) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

func.func private @kernel(%a: memref<4xf32>, %b: memref<4xf32>) {
  loop.for parallel "i" %i = 0 to 4 {
    %v = loop.load %a[%i] : memref<4xf32>
    loop.store %v, %b[%i] : memref<4xf32>
  }
  return
}

// What is read, and what is an output, is right.
// CHECK-NOT: warning
func.func @right(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  func.call @kernel(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
