// RUN: mlc-opt %s --print-debuginfo | filecheck %s
// RUN: mlc-opt %s --print-debuginfo | mlc-opt --print-debuginfo | filecheck %s

// CHECK: return %{{.*}} : i32 loc("{{.*}}print_debuginfo.mlir":7:3)
// CHECK: } loc("here")
func.func @f(%x: i32) -> i32 {
  return %x : i32
} loc("here")
