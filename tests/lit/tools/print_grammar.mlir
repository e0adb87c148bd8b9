// RUN: mlc-opt --print-grammar | filecheck %s --check-prefix=CORE
// RUN: mlc-opt --print-grammar=graph | filecheck %s
// RUN: not mlc-opt --print-grammar=grph 2>&1 | filecheck %s --check-prefix=UNKNOWN

// CORE: operation: op_body
// CORE: attribute: STRING_LIT
// CHECK: // graph.matmul
// CHECK-NEXT: custom_body:
// UNKNOWN: error: unknown dialect 'grph'; did you mean 'graph'?
