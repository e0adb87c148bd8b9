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

// expected-error @+1 {{one side of '*' has to be made of constants and symbols, as in d0 * 4}}
"t.op"() {m = affine_map<(d0) -> (d0 * d0)>} : () -> ()
// expected-error @+1 {{one side of '*' has to be made of constants and symbols, as in d0 * 4}}
"t.op"() {m = affine_map<(d0)[s0] -> ((d0 + s0) * (d0 - 1))>} : () -> ()
// expected-error @+1 {{the right side of 'floordiv' has to be made of constants and symbols, as in d0 floordiv 4}}
"t.op"() {m = affine_map<(d0)[s0] -> (s0 floordiv d0)>} : () -> ()
// expected-error @+1 {{the right side of 'ceildiv' has to be made of constants and symbols, as in d0 ceildiv 4}}
"t.op"() {m = affine_map<(d0)[s0] -> (4 ceildiv (d0 + s0))>} : () -> ()
// expected-error @+1 {{the right side of 'mod' has to be made of constants and symbols, as in d0 mod 4}}
"t.op"() {s = affine_set<(d0) : (d0 mod d0 == 0)>} : () -> ()

// -----

// expected-error @+1 {{an affine expression divides by zero}}
"t.op"() {m = affine_map<(d0) -> (5 mod 0)>} : () -> ()
