// Upstream reads what is printed, and what it prints is read as the same.
// REQUIRES: mlir-opt
// RUN: mlc-opt %S/generic.mlir | mlir-opt --allow-unregistered-dialect | mlc-opt | filecheck %s

// CHECK-LABEL: @tensors
// CHECK: iterator_types = ["parallel"], doc = "Copies.", library_call = "copy"} ins(%{{.*}} : tensor<4xf32>)
// CHECK: attrs = {my.other} {
// CHECK: } -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-LABEL: @buffers
// CHECK: attrs = {my.trait = 1 : i64} {
