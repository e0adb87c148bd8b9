// RUN: mlc-opt %s --lower-to-tensor | filecheck %s --check-prefix=TENSOR
// RUN: mlc-opt %s --lower-to-loops | filecheck %s --check-prefix=LOOP
// RUN: mlc-opt %s --lower-to-llvm | filecheck %s --check-prefix=LLVM
// RUN: mlc-opt %s --lower-to-graph --lower-to-tensor --lower-to-loops --lower-to-llvm | filecheck %s --check-prefix=LLVM

// A pipeline lowers as little as it can: without `--fuse` in front of it, each op is a kernel.

// TENSOR-LABEL: func.func private @softmax
// TENSOR: tensor.reduce
// TENSOR: math.exp
// TENSOR-NOT: graph.
// LOOP-LABEL: func.func private @softmax
// LOOP: loop.for
// LOOP: math.exp
// LOOP-NOT: tensor.
// LLVM: llvm.func {{.*}} @softmax
// LLVM-NOT: math.exp
// LLVM: llvm.func @mlc_main
func.func @main(%x: tensor<4x20xf32>) -> tensor<4x20xf32> {
  %0 = graph.softmax %x axis 1 : tensor<4x20xf32>
  return %0 : tensor<4x20xf32>
}
