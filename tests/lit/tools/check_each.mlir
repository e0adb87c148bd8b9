// RUN: mlc-opt %s -O3 --check-each --emit=llvm-ir 2>&1 | filecheck %s
// RUN: mlc-opt %s -O0 --check-each --emit=llvm-ir 2>&1 | filecheck %s
// RUN: mlc-opt %s --lower-to-tensor --lower-to-loops --expand-math --plan-memory --lower-to-llvm --check-each --emit=llvm-ir 2>&1 | filecheck %s
// RUN: mlc-opt %s -O3 --threads=2 --check-each --seed=7 --emit=llvm-ir 2>&1 | filecheck %s
// RUN: mlc-opt %s -O3 --emit=mlir:llvm -o %t
// RUN: mlc-opt %t --cse --check-each -o - 2>&1 | filecheck %s --check-prefix=LATE
// REQUIRES: clang
// SLOW: six compilations, each checked at every step

// References and native code agree, in kernels and in the model: nothing is left out, but orders of long loops.

// CHECK: note: --check-each compared {{[0-9,]+}} values of {{[0-9]+}} functions
// CHECK-NOT: did not check
// CHECK-NOT: not compared
// CHECK: define i32 @mlc_main(
// CHECK-NOT: note:

// LATE: note: native code was not compared: no convert-loop-to-llvm ran, and the llvm level does not say what functions take and give

func.func @main(%x: tensor<5x7xf32>, %w: tensor<7x18xf32>, %n: tensor<4xi32>) -> (tensor<5x18xf32>, tensor<4xi32>) {
  %0 = graph.matmul %x, %w : tensor<5x7xf32>, tensor<7x18xf32> -> tensor<5x18xf32>
  %1 = graph.tanh %0 : tensor<5x18xf32>
  %2 = graph.softmax %1 axis 1 : tensor<5x18xf32>
  %3 = graph.div %n, %n : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return %2, %3 : tensor<5x18xf32>, tensor<4xi32>
}
