// RUN: mlc-opt %s --allow-unregistered-dialect | filecheck %s
// RUN: not mlc-opt %s 2>&1 | filecheck %s --check-prefix=STRICT

// CHECK: "toy.op"() : () -> i32
// STRICT: unregistered.mlir:6:{{[0-9]+}}: error: unknown dialect 'toy'
%0 = "toy.op"() : () -> i32
