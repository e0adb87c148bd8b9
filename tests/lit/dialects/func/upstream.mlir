// Upstream reads what is printed, and what it prints is read as the same.
// REQUIRES: mlir-opt
// RUN: mlc-opt %S/declarations.mlir | mlir-opt --allow-unregistered-dialect | mlc-opt | filecheck %s
// RUN: mlc-opt %S/declarations.mlir | mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | mlc-opt | filecheck %s

// CHECK: func.func private @both(f32 {my.argument}) -> (f32 {my.result})
// CHECK: func.func private @some(f32, i32 {my.argument = 1 : i64}) -> (f32, i32 {my.result})
// CHECK: func.func private @function(f32) -> ((f32) -> f32)
// CHECK: func.func private @nothing() attributes {my.function}
// CHECK: func.func @body(%{{.*}}: f32 {my.argument}) -> (f32 {my.result}) attributes {my.function} {
