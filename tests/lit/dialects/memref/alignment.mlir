// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

// CHECK: memref.assume_alignment %x, 64 : memref<4xf32>
func.func @f(%x: memref<4xf32>) {
  memref.assume_alignment %x, 64 : memref<4xf32>
  return
}
