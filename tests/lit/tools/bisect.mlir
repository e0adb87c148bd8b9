// RUN: (not mlc bisect %s -O1 --load-pass %S/Inputs/broken_passes.py 2>&1) | filecheck %s
// RUN: (not mlc bisect %s --load-pass %S/Inputs/broken_passes.py --pass-pipeline=cse,drop-relu 2>&1) | filecheck %s --check-prefix=RELU

// The first pass of a pipeline, the op in it, its line, and both values. The pass is a plugin's, and nothing else says
// what it does.
// CHECK: first wrong value: after pass 'swap-subtraction', number {{[0-9]+}} of those that ran (of '{{.*}}broken_passes.py')
// CHECK-NEXT: function  '[[KERNEL:.*sub.*]]'
// CHECK-NEXT: element   [0, 0] of result 0: {{.*}}, before: {{.*}}
// CHECK-NEXT: in all    12 of 12 elements differ
// CHECK-NEXT: op before {{.*}}bisect.mlir:21:8: {{.*}}arith.subf
// CHECK-NEXT: op after  {{.*}}bisect.mlir:21:8: {{.*}}arith.subf
// CHECK-NEXT: its value -[[V:[0-9.]+]], before: [[V]], as number 0
// CHECK-NEXT: reproducer: {{.*}}.mlir

// RELU: after pass 'drop-relu', number 2 of those that ran
// RELU: function  'main'
// RELU: op before {{.*}}bisect.mlir:22:8: {{.*}}graph.relu
// RELU-NOT: its value
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<3xf32>) -> tensor<4x3xf32> {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  %1 = graph.sub %b, %0 : tensor<3xf32>, tensor<4x3xf32> -> tensor<4x3xf32>
  %2 = graph.relu %1 : tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}
