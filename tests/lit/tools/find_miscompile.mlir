// SLOW: a thousand ops, verified again and again
// RUN: python %S/Inputs/long_model.py 1000 > %t.mlir
// RUN: (mlc-opt %t.mlir --load-pass %S/Inputs/broken_passes.py --drop-relu --reduce-while=differs 2>&1) | filecheck %s
// RUN: (not mlc bisect %t.mlir --load-pass %S/Inputs/broken_passes.py --pass-pipeline=drop-relu 2>&1) | filecheck %s --check-prefix=BISECT

// Of a thousand ops those are left that the miscompiling pass needs.
// CHECK: note: reduced from 1003 to 4 ops in {{[0-9]+}} attempts
// CHECK: // fails in: drop-relu
// CHECK: func.func @main
// CHECK-NEXT: %0 = graph.relu
// CHECK-NEXT: func.return

// BISECT: op before {{.*}}.mlir:502:{{[0-9]+}}: %0 = graph.relu
