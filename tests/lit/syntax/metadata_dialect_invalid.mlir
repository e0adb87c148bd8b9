// RUN: mlc-opt %s --split-input-file --verify-diagnostics

%0 = arith.constant 1 : i32
// expected-error @+1 {{unknown dialect 'bultin', did you mean 'builtin'?}}
{-# dialect_resources: { bultin: { a: "0x00" } } #-}
