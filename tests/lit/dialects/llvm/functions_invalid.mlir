// RUN: mlc-opt %s --verify-diagnostics --split-input-file

// expected-error @+1 {{'...' stands after the last argument}}
llvm.func @dots(..., i32)

// -----

// expected-error @+1 {{Expected all arguments to be named or all arguments to be unnamed.}}
llvm.func @names(%x: i32, i32)

// -----

// expected-error @+1 {{Expected argument or type}}
llvm.func @types(3)
