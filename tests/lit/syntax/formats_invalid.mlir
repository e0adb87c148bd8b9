// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// Operations in their own formats.

// Written by the parser's grammar.
// expected-note @below {{defined here}}
// expected-note @below {{defined here}}
func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>) {
  // expected-error @+1 {{expected ',', got '%a'}}
  %0 = arith.addf %a %a : f32
  %1 = arith.addf %a, %a
  // expected-error @+1 {{expected ':', 'fastmath' or '{', got '%2'}}
  %2 = arith.addf %a, %a : f32, f32
  // expected-error @+1 {{Expected `reassoc`, `nnan`, `ninf`, `nsz`, `arcp`, `contract`, or `afn`., got 'quick'}}
  %3 = arith.addf %a, %a fastmath<quick> : f32
  %4 = arith.addf %a, %a {fastmath = 5 : i32} : f32
  %5 = graph.softmax %t axis 1.5 : tensor<4xf32>
  // expected-error @+1 {{expected an integer, got a number with a fraction}}
  %6 = graph.softmax %t axes 0 : tensor<4xf32>
  %7 = graph.softmax %t axis 0 {axis = 1} : tensor<4xf32>
  %8 = graph.transpose %t [1.5] : tensor<4xf32> -> tensor<4xf32>
  // expected-error @+1 {{expected an integer, got a number with a fraction}}
  %9 = graph.transpose %t [x] : tensor<4xf32> -> tensor<4xf32>
  // expected-error @+1 {{value '%t' has type tensor<4xf32>, but is used here as f32}}
  %10 = graph.relu %t : f32
  // expected-error @+1 {{value '%t' has type tensor<4xf32>, but is used here as tensor<4x!t.t>}}
  %11 = arith.addf %t, %t : tensor<4x!t.t>
  // expected-error @+1 {{2 operands but 1 operand type}}
  %12 = graph.concat %t, %t axis 0 : tensor<4xf32> -> tensor<8xf32>
  %13 = arith.extf %a : f32 to i32
  return
}

// -----

// Written by a parser of the dialect.
func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>) {
  // expected-error @+1 {{unknown predicate 'huh', required one of false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno, true}}
  %0 = arith.cmpf huh, %a, %a : f32
  // expected-error @+1 {{Expected ',', got ':'}}
  %1 = arith.cmpi slt, %i : index
  // expected-error @+1 {{arith.select takes 3 operands and 1 or 2 types, got 1 and 1}}
  %2 = arith.select %a : f32
  // expected-error @+1 {{']' expected, got ':'}}
  %3 = loop.load %m[0 : memref<4xf32>
  %4 = arith.constant
  // expected-error @+1 {{expected an attribute, got '%5'}}
  %5 = tensor.map %t : 5
  %6 = memref.alloc() : 5
  %7 = affine.apply affine_map<(d0) -> (d0)>(%i, %i)
  %8 = llvm.mlir.constant(1 : i32) : 
  // expected-error @+1 {{type expected, got 'return'}}
  return
}

// -----

// expected-error @+1 {{')' expected, got '->'}}
func.func @f(%a: f32 -> f32 {
  return %a : f32
}

// -----

func.func @f(%a: f32) -> (f32 {
  // expected-error @+1 {{'}' expected, got '%a'}}
  return %a : f32
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{Expected 'step', got '{'}}
  scf.for %i = %n to %n {
  }
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{type expected, got 'i5x'}}
  scf.for %i = %n to %n step %n : i5x {
  }
  return
}
