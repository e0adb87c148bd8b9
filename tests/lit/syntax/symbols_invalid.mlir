// RUN: mlc-opt %s --split-input-file --verify-diagnostics

// A symbol that is defined twice, with its first definition; in a table of its own the name is free.
// expected-note @+2 {{defined here before}}
// expected-note @+1 {{defined here before}}
func.func @f() { return }
func.func @g() { return }
// expected-error @+1 {{symbol '@f' is defined twice}}
func.func @f() { return }
module @inner {
  func.func @f() { return }
}
// expected-error @+1 {{symbol '@f' is defined twice}}
module @f {}

// -----

module @outer {
  // expected-note @+1 {{defined here before}}
  llvm.func @f()
  // expected-error @+1 {{symbol '@f' is defined twice}}
  func.func private @f()
}
