// RUN: mlc-opt %s --lower-to-llvm --split-input-file --verify-diagnostics

// expected-error @+1 {{'passthrough' has 3 : i64; required: a list of names and pairs, such as ["cold", ["prefer-vector-width", "128"]]}}
func.func private @number() attributes {passthrough = [3 : i64]} {
  return
}

// -----

// expected-error @+1 {{'passthrough' has ["a", "b", "c"]; required: a list of names and pairs}}
func.func private @three() attributes {passthrough = [["a", "b", "c"]]} {
  return
}
