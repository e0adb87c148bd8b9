// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: vector<2xi64>, %acc: vector<4xi32>) {
  // expected-error @+1 {{loop.outer_dot: required numbers of one width, of i8, ui8, i16, ui16, bf16 or f16, got i8 and i16 (outer_dot_c1)}}
  %s = loop.outer_dot %a, %a, %acc of i8, i16 : vector<2xi64>, vector<2xi64>, vector<4xi32>
  return
}

// -----

func.func @f(%a: vector<2xi32>, %acc: vector<4xi32>) {
  // expected-error @+1 {{loop.outer_dot: required words of i64 and sums of i32, got vector<2xi32>, vector<2xi32>, vector<4xi32> (outer_dot_c2)}}
  %s = loop.outer_dot %a, %a, %acc of i8, i8 : vector<2xi32>, vector<2xi32>, vector<4xi32>
  return
}

// -----

func.func @f(%a: vector<2xi64>, %acc: vector<4xi32>) {
  // expected-error @+1 {{required words of i64 and sums of f32, got vector<2xi64>, vector<2xi64>, vector<4xi32> (outer_dot_c2)}}
  %s = loop.outer_dot %a, %a, %acc of bf16, bf16 : vector<2xi64>, vector<2xi64>, vector<4xi32>
  return
}

// -----

func.func @f(%a: vector<2xi64>, %b: vector<4xi64>, %acc: vector<4xi32>) {
  // expected-error @+1 {{loop.outer_dot: required vectors of words, and a sum for each two of them, got vector<2xi64>, vector<4xi64>, vector<4xi32> (outer_dot_c3)}}
  %s = loop.outer_dot %a, %b, %acc of i8, i8 : vector<2xi64>, vector<4xi64>, vector<4xi32>
  return
}

// -----

func.func @f(%a: i64, %b: vector<4xi64>, %acc: vector<4xi32>) {
  // expected-error @+1 {{got i64, vector<4xi64>, vector<4xi32> (outer_dot_c3)}}
  %s = loop.outer_dot %a, %b, %acc of i8, i8 : i64, vector<4xi64>, vector<4xi32>
  return
}

// -----

func.func @f(%a: vector<1x2xi64>, %acc: vector<4xi32>) {
  // expected-error @+1 {{got vector<1x2xi64>, vector<1x2xi64>, vector<4xi32> (outer_dot_c3)}}
  %s = loop.outer_dot %a, %a, %acc of i8, i8 : vector<1x2xi64>, vector<1x2xi64>, vector<4xi32>
  return
}
