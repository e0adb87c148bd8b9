// RUN: mlc-opt %s --split-input-file | filecheck %s

// CHECK: @f
// CHECK: // -----
// CHECK: @f
func.func private @f()

// -----

func.func private @f()
