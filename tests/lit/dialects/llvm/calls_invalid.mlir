// Calls fit the functions that they name.
// RUN: mlc-opt %s --verify-diagnostics --split-input-file

llvm.func @g(i32) -> i32

llvm.func @f(%a: i32) {
  // expected-error @+1 {{llvm.call: the number of arguments is 2, but @g takes 1}}
  %0 = llvm.call @g(%a, %a) : (i32, i32) -> i32
  llvm.return
}

// -----

llvm.func @g(i32) -> i32

llvm.func @f(%a: f32) {
  // expected-error @+1 {{llvm.call: argument 0 is of type f32, but @g takes i32}}
  %0 = llvm.call @g(%a) : (f32) -> i32
  llvm.return
}

// -----

llvm.func @g(i32) -> i32

llvm.func @f(%a: i32) {
  // expected-error @+1 {{llvm.call: a result of type f32, but @g returns i32}}
  %0 = llvm.call @g(%a) : (i32) -> f32
  llvm.return
}

// -----

llvm.func @g(i32) -> i32

llvm.func @f(%a: i32) {
  // expected-error @+1 {{llvm.call: no result, but @g returns i32}}
  llvm.call @g(%a) : (i32) -> ()
  llvm.return
}

// -----

llvm.func @g(i32)

llvm.func @f(%a: i32) {
  // expected-error @+1 {{llvm.call: a result of type i32, but @g returns nothing}}
  %0 = llvm.call @g(%a) : (i32) -> i32
  llvm.return
}

// -----

llvm.func @g(i32, ...)

llvm.func @f(%a: i32) {
  // expected-error @+1 {{llvm.call: the number of arguments is 0, but @g takes at least 1}}
  llvm.call @g() vararg(!llvm.func<void (i32, ...)>) : () -> ()
  llvm.return
}

// -----

llvm.func @g(i32, ...)

llvm.func @f(%a: i32) {
  // expected-error @+1 {{llvm.call: @g has variadic arguments, so the call needs vararg(!llvm.func<…>)}}
  llvm.call @g(%a, %a) : (i32, i32) -> ()
  llvm.return
}

// -----

llvm.func @f(%a: i32) {
  // expected-error @+1 {{'llvm.call': '@g' could not be found in symbol table}}
  %0 = llvm.call @g(%a) : (i32) -> i32
  llvm.return
}
