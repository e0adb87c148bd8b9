// RUN: mkdir -p %t && mlc-opt %S/../../../examples/digits/mlp.mlir -o %t/model.mlir && mlc-opt %t/model.mlir | filecheck %s

// Text that is written to another folder still finds its weights.
// CHECK: external_resources
// CHECK: weights: "{{.*}}mlp.safetensors"
