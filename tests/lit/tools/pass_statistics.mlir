// RUN: mlc-opt %s --canonicalize --fuse --pass-statistics --print-op-stats -o - 2>&1 | filecheck %s
// RUN: mlc-opt %s --canonicalize --print-patterns=canonicalize --print-ir-after-patterns -o - 2>&1 | filecheck %s --check-prefix=PATTERNS
// RUN: not mlc-opt %s --canonicalize --print-patterns=canonicalise 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: mlc-opt %s --canonicalize --cse --dce --pass-bisect-limit=1 -o - 2>&1 | filecheck %s --check-prefix=LIMIT
// RUN: mlc-opt %s -O1 --emit=mlir:tensor --pass-bisect-limit=0 -o - 2>&1 | filecheck %s --check-prefix=NONE

// Op statistics come when the last pass has run, those of passes in the end.
// CHECK: func.func {{ +}}1
// CHECK: graph.relu {{ +}}1
// CHECK: all {{ +}}3
// CHECK: canonicalize: 4 → 3 ops
// CHECK-NEXT: ops
// CHECK-NEXT: -1 graph.relu
// CHECK-NEXT: patterns, applied of tried
// CHECK: 1 of 3 {{ +}}FoldUnaryOfUnary
// CHECK: fuse: 3 → 3 ops
// CHECK-NEXT: builtin.module

// PATTERNS: canonicalize: FoldUnaryOfUnary leaves graph.relu at {{.*}}pass_statistics.mlir:40:8
// PATTERNS: canonicalize: FoldUnaryOfUnary applied to graph.relu at {{.*}}pass_statistics.mlir:41:8
// PATTERNS-NEXT: builtin.module
// PATTERNS: graph.relu
// PATTERNS: func.return

// UNKNOWN: error: --print-patterns: unknown pass 'canonicalise'; did you mean 'canonicalize'?

// LIMIT: pass 1, canonicalize: runs
// LIMIT-NEXT: pass 2, cse: left out
// LIMIT-NEXT: pass 3, dce: left out

// What -O0 needs runs all the same.
// NONE: pass 1, {{.*}}: left out
// NONE-NOT: : runs
// NONE-NOT: convert-graph-to-tensor
// NONE: tensor.map
// NONE-NOT: tensor.map
// NONE: call @relu(%x)
// NONE: call @relu(%0)
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  %1 = graph.relu %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
