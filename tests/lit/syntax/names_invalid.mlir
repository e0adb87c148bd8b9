// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// Names of values, blocks and aliases.

// Values.
// expected-note @below {{defined here}}
// expected-note @below {{defined here}}
// expected-note @below {{defined here before}}
%a:2 = "t.op"() : () -> (i32, f32)
// expected-error @+1 {{'%a#2' does not exist: '%a' stands for 2 values}}
"t.op"(%a#2) : (i32) -> ()
// expected-error @+1 {{value '%a' has type f32, but is used here as i32}}
"t.op"(%a#1) : (i32) -> ()
// expected-error @+1 {{value '%a' is defined twice}}
%b, %a = "t.op"() : () -> (i32, i32)

// -----

// The same before the definition.
// expected-error @below {{'%a#1' does not exist: '%a' stands for 1 value}}
// expected-note @below {{defined here}}
"t.op"(%a#1) : (i32) -> () %a = "t.op"() : () -> i32

// -----

// expected-error @below {{value '%a' has type f32, but is used here as i32}}
// expected-note @below {{defined here}}
"t.op"(%a) : (i32) -> () %a = "t.op"() : () -> f32

// -----

// expected-note @+1 {{used here before}}
"t.op"(%a) : (i32) -> ()
// expected-error @+1 {{value '%a' has type i32, but is used here as f32}}
"t.op"(%a) : (f32) -> ()
%a = "t.op"() : () -> i32

// -----

// expected-note @+1 {{defined here}}
%weight = "t.op"() : () -> i32
// expected-error @+1 {{value '%wieght' is not defined, did you mean '%weight'?}}
"t.op"(%wieght) : (i32) -> ()
// expected-error @+1 {{value '%other' is not defined}}
"t.op"(%other) : (i32) -> ()

// -----

// Numbers of results; what has an error defines its names all the same.
// expected-error @+1 {{'arith.constant' has 1 result, but 2 are named}}
%a:2 = arith.constant 1 : i32
// expected-error @+1 {{'builtin.module' has 0 results, but 2 are named}}
%b, %c = module {}
// expected-error @+1 {{'arith.constant' has 2 results, but 1 are named}}
%d = "arith.constant"() {value = 1 : i32} : () -> (i32, i32)
// expected-error @+1 {{'arith.constant' has 1 result, but 0 are named}}
%e:0 = arith.constant 1 : i32
"t.op"(%a, %d#1) : (i32, i32) -> ()

// -----

// Operands that a hand-written parser wants defined.
func.func @f(%i: index) {
  // expected-error @+1 {{'scf.index_switch': operand '%late' is used where its definition does not reach}}
  scf.index_switch %late
  default {
    scf.yield
  }
  // expected-note @+1 {{defined here}}
  %late = arith.constant 1 : index
  return
}

// -----

// expected-note @+1 {{defined here}}
func.func @f(%i: index) {
  // expected-error @+1 {{'%i#1' does not exist: '%i' stands for 1 value}}
  scf.index_switch %i#1
  default {
    scf.yield
  }
  return
}

// -----

// Block arguments.
"t.op"() ({
// expected-error @below {{value '%a' is defined twice}}
// expected-note @below {{defined here before}}
^bb0(%a: i32, %a: i32):
  "t.end"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{value '%a' is defined twice}}
// expected-note @below {{defined here before}}
func.func @arguments(%a: i32, %a: f32) {
  return
}

// -----

func.func @value_of_a_region_left(%c: i1) {
  scf.if %c {
    %x = arith.constant 1 : i32
  }
  // expected-error @+1 {{value '%x' is not defined}}
  "t.op"(%x) : (i32) -> ()
  return
}

// -----

// Operands whose types the syntax does not say have to be defined before.
func.func @f() {
  "t.op"() ({
    // expected-note @+1 {{defined here}}
    %0 = graph.constant dense<1.0> : tensor<2xf32>
    // expected-error @+1 {{'%0#1' does not exist: '%0' stands for 1 value}}
    "t.op"(%0#1) : (i32) -> ()
  }) : () -> ()
  return
}

// -----

// expected-note @+1 {{defined here}}
func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{value '%i' is not defined}}
  %0 = loop.load %m[%i] : memref<4xf32>
  // expected-error @+1 {{'%m#1' does not exist: '%m' stands for 1 value}}
  %1 = loop.load %m[%m#1] : memref<4xf32>
  return
}

// -----

// Blocks.
func.func @f(%c: i1) {
  // expected-error @+1 {{block '^right' is not defined in this region}}
  cf.cond_br %c, ^left, ^right
// expected-note @+1 {{defined here before}}
^left:
  return
// expected-error @+1 {{block '^left' is defined twice}}
^left:
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{block '^nowhere' is not defined in this region}}
  cf.br ^nowhere
}

// -----

func.func @f() {
  cf.br ^outer
^outer:
  "t.op"() ({
    // expected-error @+1 {{block '^outer' is not defined in this region}}
    cf.br ^outer
  }) : () -> ()
  return
}

// -----

// Aliases.
#a = 1 : i32
// expected-error @+1 {{alias '#a' is defined twice}}
#a = 2 : i32
!b = i32
// expected-error @+1 {{alias '!b' is defined twice}}
!b = f32
// expected-error @+1 {{alias '#c' is not defined}}
"t.op"() {v = #c} : () -> !d
// expected-error @+1 {{alias '#f' is not defined}}
#e = #f

// -----

// Behind its use.
// expected-error @+1 {{alias '#late' is not defined}}
"t.op"() {v = #late} : () -> ()
#late = 1 : i32

// -----

% = "t.op"() : () -> ()
// expected-error @-1 {{expected an operation, got character '%'}}

// -----

// expected-error @+1 {{expected ',', ':' or '=', got character '#'}}
%a# = "t.op"() : () -> ()

// -----

// expected-error @+1 {{expected an operation, got '%a#0'}}
%a#0 = "t.op"() : () -> i32

// -----

// expected-error @+1 {{expected ')' or a value such as %x, got '^bb0'}}
"t.op"(^bb0) : () -> ()
// expected-error @+1 {{expected a block such as ^bb0, got '%a'}}
"t.op"()[%a] : () -> ()
// expected-error @+1 {{expected ')' or a value such as %x, got '@a'}}
"t.op"(@a) : () -> ()
