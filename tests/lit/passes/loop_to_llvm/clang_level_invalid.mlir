// RUN: mlc-opt %s --convert-loop-to-llvm --split-input-file --verify-diagnostics

// expected-error @+1 {{'mlc.clang_level' is 4 : i64; required: an integer from 0 to 3}}
func.func private @large() attributes {mlc.clang_level = 4 : i64} {
  return
}

// -----

// expected-error @+1 {{'mlc.clang_level' is "s"; required: an integer from 0 to 3}}
func.func private @no_number() attributes {mlc.clang_level = "s"} {
  return
}
