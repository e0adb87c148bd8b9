// RUN: mlc-opt %s --split-input-file --verify-diagnostics

// Names of dialects, operations and their attributes, where none may be unknown.

// expected-error @+1 {{unknown operation 'arith.adf', did you mean 'arith.addf'?}}
"arith.adf"() : () -> ()
// expected-error @+1 {{unknown dialect 'arithh', did you mean 'arith'?}}
"arithh.addf"() : () -> ()
// expected-error @+1 {{unknown dialect 'nothing'}}
"nothing.like_it"() : () -> ()
// expected-error @+1 {{unknown operation 'arith.nothing_like_it'}}
"arith.nothing_like_it"() : () -> ()
// expected-error @+1 {{unknown operation 'retrun'}}
"retrun"() : () -> ()

// -----

// expected-error @+1 {{unknown operation 'nothing'}}
nothing

// -----

// expected-error @+1 {{unknown dialect 'arithh', did you mean 'arith'?}}
%0 = "arith.constant"() {value = !arithh.a} : () -> i32
// expected-error @+1 {{unknown dialect 'nothing'}}
%1 = "arith.constant"() {value = #nothing.a} : () -> i32
// expected-error @+1 {{'arith.nothing' is not registered}}
%2 = "arith.constant"() {value = #arith.nothing} : () -> i32
// expected-error @+1 {{'llvm.nothing' is not registered}}
%3 = "arith.constant"() {value = !llvm.nothing} : () -> i32

// -----

func.func @short() {
  // expected-error @+1 {{unknown operation 'retrun', did you mean 'return'?}}
  retrun
}

// -----

func.func @short() {
  // expected-error @+1 {{unknown operation 'dim'}}
  dim %a : f32
}

// -----

// A dialect without its op.
// expected-error @+1 {{unknown operation 'func', did you mean 'func.func'?}}
func @main() {
  return
}
