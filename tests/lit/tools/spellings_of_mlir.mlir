// The spellings of mlir-opt mean the same.
// RUN: mlc-opt %s -canonicalize -cse | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="builtin.module(canonicalize, cse)" | filecheck %s
// RUN: mlc-opt %s --lower-to-tensor --lower-to-loops -tile=sizes=2 --pass-pipeline="builtin.module(tile{sizes=2}, dce)" | filecheck %s --check-prefix=TILE
// RUN: not mlc-opt %s --pass-pipeline="func.func(cse)" 2>&1 | filecheck %s --check-prefix=NESTED
// RUN: not mlc-opt %s -canonicalise 2>&1 | filecheck %s --check-prefix=UNKNOWN

// CHECK: %[[Y:.*]] = graph.relu %x
// CHECK-NEXT: graph.add %[[Y]], %[[Y]]
// TILE: loop.for
// NESTED: malformed pass pipeline
// UNKNOWN: -canonicalise
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  %1 = graph.relu %x : tensor<4xf32>
  %2 = graph.add %0, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
