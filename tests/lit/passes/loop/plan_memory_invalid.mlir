// RUN: mlc-opt %s --plan-memory --verify-diagnostics

// expected-error @+1 {{'f' calls itself; recursion has no static arena}}
func.func private @f(%x: memref<4xf32>) {
  func.call @f(%x) : (memref<4xf32>) -> ()
  return
}
