// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// An operation, label or alias that cannot be read defines nothing, and nothing is said about uses of its names.

// A map, and all that uses it.
// expected-error @+1 {{'d1' is not a dimension or symbol of this affine map}}
#map = affine_map<(d0) -> (d1)>
#same = affine_map<(d0) -> (d0)>
func.func @maps(%i: index, %m: memref<4xf32>) -> index {
  %0 = affine.apply #map(%i)
  %1 = affine.min #same(%0)
  "t.op"(%1) {m = #map, n = #same} : (index) -> ()
  // expected-error @+1 {{alias '#mop' is not defined}}
  "t.op"() {m = #mop} : () -> ()
  return %1 : index
}

// -----

// expected-error @+1 {{unknown type 'f31', did you mean 'f32'?}}
!t = tensor<4xf31>
func.func @types(%x: !t) -> !t {
  return %x : !t
}

// -----

func.func @values(%a: i32, %b: i1) -> i32 {
  // What was read of it could stand alone: arith.constant 2.
  // expected-error @+1 {{unknown type 'f31', did you mean 'f32'?}}
  %c = arith.constant 2 : f31
  // An error on a line of its own takes nothing away from the operation in front.
  // expected-note @+1 {{defined here}}
  %d = arith.constant 1 : i32
  // expected-error @+1 {{got character '$'}}
  $
  // expected-error @+1 {{value '%d' has type i32, but is used here as i64}}
  %e = arith.addi %d, %d : i64
  %f = arith.addi %c, %d : i32
  // Operations behind a broken one on its line are skipped with it.
  // expected-error @+1 {{unknown type 'f31', did you mean 'f32'?}}
  %g = arith.constant 1 : f31 %h = arith.constant 1 : i32
  %i = arith.addi %g, %h : i32
  // expected-error @+1 {{'arith.addi' has 1 result, but 2 are named}}
  %j:2 = arith.addi %a, %a : i32
  %k = arith.addi %j#0, %j#1 : i32
  // expected-error @+1 {{value '%l' is not defined}}
  return %l : i32
}

// -----

func.func @blocks(%a: i32, %b: i1) -> i32 {
  cf.cond_br %b, ^bb1(%a : i32), ^bb2
// expected-error @+1 {{unknown type 'f31', did you mean 'f32'?}}
^bb1(%q: f31, %r: i32):
  %s = arith.addi %q, %r : i32
  cf.br ^bb1(%s : i32)
^bb2:
  cf.br ^bb1(%a : i32)
}
