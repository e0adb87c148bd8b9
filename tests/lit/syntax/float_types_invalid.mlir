// RUN: mlc-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// expected-error @+1 {{numbers of type f80 are kept as f64, which 0x3fff8000000000000001 does not fit}}
"t.op"() {v = 0x3FFF8000000000000001 : f80} : () -> ()

// -----

// expected-error @+1 {{0x13fff8000000000000000 has more bits than f80}}
"t.op"() {v = 0x13FFF8000000000000000 : f80} : () -> ()

// -----

// expected-error @+1 {{a number of type f128 has a point, or is its bits in hexadecimal, got 1, as in 1.0}}
"t.op"() {v = 1 : f128} : () -> ()

// -----

// expected-error @+1 {{an array cannot have elements of type f80 here}}
"t.op"() {v = array<f80: 1.0>} : () -> ()

// -----

// expected-error @+1 {{a dense literal cannot have elements of type f128 here}}
"t.op"() {v = dense<"0x00"> : tensor<1xf128>} : () -> ()

// -----

// expected-error @+1 {{a dense literal cannot have elements of type complex<f80> here}}
"t.op"() {v = dense<(1.0, 2.0)> : tensor<1xcomplex<f80>>} : () -> ()

// -----

// expected-error @+1 {{a dense_resource cannot have elements of type f80}}
"t.op"() {v = dense_resource<a> : tensor<1xf80>} : () -> ()
{-# dialect_resources: { builtin: { a: "0x0400000000" } } #-}

// -----

// expected-error @+1 {{unknown type 'f8E4M3FNU', did you mean 'f8E4M3FNUZ'?}}
func.func private @near(f8E4M3FNU)
