// RUN: mlc-opt %s --split-input-file --verify-diagnostics

// Several errors in one file, none of which makes another.
func.func @several(%a: f32, %m: memref<4x?xf32>, %i: index) -> f32 {
  // expected-error @+1 {{expected ',' or ']', got ':'}}
  %x = memref.load %m[%i, %i : memref<4x?xf32>
  // expected-error @+1 {{expected ':' or '{', got 'f32'}}
  %y = arith.mulf %a, %x fastmath<contract> f32
  %z = arith.addf %y, %a : f32
  // expected-error @+1 {{unknown operation 'arith.multf', did you mean 'arith.mulf'?}}
  %w = arith.multf %z, %a : f32
  func.return %w : f32
}

// -----

func.func @dialect(%a: f32) -> f32 {
  // expected-error @+1 {{unknown dialect 'grap', did you mean 'graph'?}}
  %x = grap.relu %a : f32
  return %x : f32
}

// -----

// expected-note @+1 {{defined here before}}
func.func @twice(%a: f32) -> f32 {
  // expected-error @+1 {{value '%a' is defined twice}}
  %a = arith.addf %a, %a : f32
  return %a : f32
}

// -----

// expected-note @+1 {{defined here}}
func.func @wrong_type(%a: index) -> f32 {
  // expected-error @+1 {{value '%a' has type index, but is used here as f32}}
  return %a : f32
}

// -----

func.func @results(%a: f32) -> f32 {
  // expected-error @+1 {{'arith.addf' has 1 result, but 2 are named}}
  %x, %y = arith.addf %a, %a : f32
  return %x : f32
}

// -----

func.func @shape() {
  // expected-error @+1 {{tensor<3xi32> has shape [3], but the dense literal has shape [2]}}
  %x = arith.constant dense<[1, 2]> : tensor<3xi32>
  return
}
