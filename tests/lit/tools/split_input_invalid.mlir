// RUN: mlc-opt %s --split-input-file --verify-diagnostics
// RUN: not mlc-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK-COUNT-2: split_input_invalid.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}is not defined
func.func @first() -> i32 {
  // expected-error-re @+1 {{value '{{%[ab]}}' is not defined}}
  return %a : i32
}

// -----

func.func @second() -> i32 {
  // expected-error-re @below {{value '{{%[ab]}}' is not defined}}
  return %b : i32
}
