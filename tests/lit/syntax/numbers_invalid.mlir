// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error @+1 {{a number with a fraction cannot have type i32}}
"t.op"() {v = 1e5 : i32} : () -> ()
// expected-error @+1 {{expected ',', ':' or '}', got 'e'}}
"t.op"() {v = 1e} : () -> ()
// expected-error @+1 {{expected ',', ':' or '}', got 'e'}}
"t.op"() {v = 1e- : f32} : () -> ()
// expected-error @+1 {{numbers with fractions do not fit i32}}
"t.op"() {v = dense<[1e5]> : tensor<1xi32>} : () -> ()
// expected-error @+1 {{expected a number}}
"t.op"() {v = dense<[1e]> : tensor<1xf32>} : () -> ()
