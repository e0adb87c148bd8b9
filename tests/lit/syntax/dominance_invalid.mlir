// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @before(%a: f32) -> f32 {
  // expected-error @+1 {{'arith.addf': operand '%z' is used where its definition does not reach}}
  %y = arith.addf %a, %z : f32
  // expected-note @+1 {{defined here}}
  %z = arith.addf %a, %a : f32
  return %y : f32
}

// -----

func.func @one_path(%c: i1, %a: f32) -> f32 {
  cf.cond_br %c, ^left, ^join
^left:
  // expected-note @+1 {{defined here}}
  %x = arith.addf %a, %a : f32
  cf.br ^join
^join:
  // expected-error @+1 {{'func.return': operand '%x' is used where its definition does not reach}}
  return %x : f32
}

// -----

func.func @inner(%c: i1) -> i32 {
  scf.if %c {
    %x = arith.constant 1 : i32
  }
  // expected-error @+1 {{value '%x' is not defined}}
  return %x : i32
}

// -----

// expected-note @+1 {{defined here}}
%x = arith.constant 1 : i32
func.func @isolated() -> i32 {
  // expected-error @+1 {{value '%x' is defined outside of an operation that is isolated from above}}
  return %x : i32
}

// -----

// A definition in a block that dominates.
func.func @dominating(%c: i1, %a: f32) -> f32 {
  %x = arith.addf %a, %a : f32
  cf.cond_br %c, ^left, ^join
^left:
  cf.br ^join
^join:
  return %x : f32
}

// -----

// A value is named as in the text, where it has a number too, and an operation that uses it twice is told once.
func.func @numbers(%a: i32) -> i32 {
  // expected-error @+1 {{operand '%0' is used where its definition does not reach}}
  %x = arith.addi %0, %0 : i32
  // expected-note @+1 {{defined here}}
  %0 = arith.addi %a, %a : i32
  // expected-error @+2 {{operand '%2#1' is used where its definition does not reach}}
  // expected-error @+1 {{operand '%3' is used where its definition does not reach}}
  %1 = arith.addi %2#1, %3 : i32
  // expected-note @+2 {{defined here}}
  // expected-note @+1 {{defined here}}
  %2:2, %3 = "test.op"() : () -> (i32, i32, i32)
  return %x : i32
}
