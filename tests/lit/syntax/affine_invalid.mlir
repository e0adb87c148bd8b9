// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// Affine maps and sets.

// expected-error @+1 {{'d0' appears twice in the space of an affine map}}
"t.op"() {v = affine_map<(d0, d0) -> (d0)>} : () -> ()
// expected-error @+1 {{'d0' appears twice in the space of an affine map}}
"t.op"() {v = affine_map<(d0)[d0] -> (d0)>} : () -> ()
// expected-error @+1 {{'d1' is not a dimension or symbol of this affine map}}
"t.op"() {v = affine_map<(d0) -> (d1)>} : () -> ()
// expected-error @+1 {{'s1' is not a dimension or symbol of this affine map}}
"t.op"() {v = affine_set<(d0)[s0] : (d0 - s1 >= 0)>} : () -> ()

// -----

// expected-error @+1 {{expected '(', got 'd0'}}
"t.op"() {v = affine_map<d0 -> (d0)>} : () -> ()
// expected-error @+1 {{expected '->' or '[', got '('}}
"t.op"() {v = affine_map<(d0) (d0)>} : () -> ()
// expected-error @+1 {{expected '->' or '[', got ':'}}
"t.op"() {v = affine_map<(d0) : (d0)>} : () -> ()
// expected-error @+1 {{expected '(', got 'd0'}}
"t.op"() {v = affine_map<(d0) -> d0>} : () -> ()
// expected-error @+1 {{expected '(', '-', a name or an integer, got ')'}}
"t.op"() {v = affine_map<(d0) -> (d0 + )>} : () -> ()
// expected-error @+1 {{unexpected 'd0'}}
"t.op"() {v = affine_map<(d0) -> (d0 d0)>} : () -> ()
// expected-error @+1 {{expected '(', '-', a name or an integer, got '1.5'}}
"t.op"() {v = affine_map<(d0) -> (d0 * 1.5)>} : () -> ()
// expected-error @+1 {{expected a name, got '4'}}
"t.op"() {v = affine_map<(d0, 4) -> (d0)>} : () -> ()
// expected-error @+1 {{unexpected ')'}}
"t.op"() {v = affine_set<(d0) : (d0)>} : () -> ()
// expected-error @+1 {{expected ':' or '[', got '->'}}
"t.op"() {v = affine_set<(d0) -> (d0 >= 0)>} : () -> ()
// expected-error @+1 {{unexpected '>'}}
"t.op"() {v = affine_set<(d0) : (d0 > 0)>} : () -> ()
// expected-error @+1 {{expected '(', '-', a name or an integer, got ')'}}
"t.op"() {v = affine_set<(d0) : (d0 >= 0, )>} : () -> ()

// -----

// expected-error @+1 {{an affine expression multiplies and divides by constants and symbols only}}
"t.op"() {m = affine_map<(d0) -> (d0 * d0)>} : () -> ()

// -----

// expected-error @+1 {{an affine expression divides by zero}}
"t.op"() {m = affine_map<(d0) -> (5 mod 0)>} : () -> ()
