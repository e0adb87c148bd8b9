// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// Operations, regions and blocks.

// expected-error @+1 {{expected ')' or ',', got '%b'}}
"t.op"(%a %b) : (i32, i32) -> ()

// -----

// expected-error @+1 {{expected '(', ':', '<', '[' or '{', got '->'}}
"t.op"() -> ()

// -----

// expected-error @+1 {{expected '(', got ':'}}
"t.op" : () -> ()

// -----

// expected-error @+1 {{expected '(', got 'i32'}}
"t.op"() : i32

// -----

// expected-error @+3 {{expected a type, got end of file}}
"t.op"() : () -> 

// -----

// expected-error @+1 {{expected '{', got ')'}}
"t.op"() () -> ()

// -----

// expected-error @+3 {{expected ')' or ',', got end of file}}
"t.op"() : () -> (i32

// -----

// expected-error @+1 {{expected a block such as ^bb0, got ']'}}
"t.op"()[] : () -> ()

// -----

// expected-error @+1 {{expected '{', got ')'}}
"t.op"() () : () -> ()

// -----

// expected-error @+1 {{expected ':', got '{'}}
"t.op"() {a} {b} : () -> ()

// -----

// expected-error @+1 {{expected ',', ':' or '=', got '"t.op"'}}
%a "t.op"() : () -> i32

// -----

// expected-error @+1 {{expected an integer, got '='}}
%b: = "t.op"() : () -> i32

// -----

// expected-error @+1 {{expected an integer, got 'x'}}
%c:x = "t.op"() : () -> i32

// -----

// expected-error @+1 {{expected a value such as %x, got '='}}
%d, = "t.op"() : () -> i32

// -----

// Numbers of operands.
%a = "t.op"() : () -> i32
// expected-error @+1 {{1 operand but 0 operand types}}
"t.op"(%a) : () -> ()
// expected-error @+1 {{0 operands but 1 operand type}}
"t.op"() : (i32) -> ()
// expected-error @+1 {{2 operands but 1 operand type}}
"t.op"(%a, %a) : (i32) -> ()
// expected-error @+1 {{1 operand but 2 operand types}}
"t.op"(%a) : (i32, i32) -> ()

// -----

// expected-error @+3 {{expected an operation, got end of file}}
%e =

// -----

// Regions.
// expected-note @+1 {{this brace is not closed}}
"t.op"() ({
// expected-error @+3 {{expected '}', a block such as ^bb0 or an operation, got end of file}}
  "t.op"() : () -> ()

// -----

"t.op"() ({
// expected-error @+1 {{expected ':', got ')'}}
^bb0(%a):
  "t.op"() : () -> ()
}) : () -> ()

// -----

"t.op"() ({
^bb0(%a: i32)
  // expected-error @+1 {{expected ':', got '"t.op"'}}
  "t.op"() : () -> ()
}) : () -> ()

// -----

"t.op"() ({
  "t.op"() : () -> ()
// expected-error @+1 {{expected ')' or ',', got '{'}}
} {
}) : () -> ()

// -----

"t.op"() : () -> ()
// expected-error @+1 {{expected an operation, got '}'}}
}

// -----

"t.op"() : () -> ()
// expected-error @+1 {{expected an operation, got '^bb0'}}
^bb0:

// -----

// expected-note @+1 {{this brace is not closed}}
module {
// expected-error @+3 {{expected '}', a block such as ^bb0 or an operation, got end of file}}
  "t.op"() : () -> ()

// -----

func.func @f() {
  return
// expected-error @+1 {{expected an operation, got ')'}}
} )

// -----

// expected-error @+1 {{expect symbol name}}
func.func f() {
  return
}

// -----

// expected-error @+1 {{expected an operation, got '?'}}
?

// -----

~
// expected-error @-1 {{expected an operation, got character '~'}}

// -----

é
// expected-error @-1 {{expected an operation, got character 'é'}}

// -----

"not closed
// expected-error @-1 {{expected an operation, got a string that is not closed on its line, or has an unknown escape}}

// -----

// expected-error @+1 {{unknown operation 'loc'}}
"t.op"() : () -> () loc(unknown) loc(unknown)
