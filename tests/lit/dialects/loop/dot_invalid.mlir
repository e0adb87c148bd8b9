// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: i32, %b: i32, %acc: i32) {
  // expected-error @+1 {{loop.dot: required numbers of one width, of i8, ui8, i16, ui16, bf16 or f16, got i8 and i16 (dot_c1)}}
  %s = loop.dot %a, %b, %acc of i8, i16 : i32, i32
  return
}

// -----

func.func @f(%a: i32, %b: i32, %acc: i32) {
  // expected-error @+1 {{got i16 and bf16 (dot_c1)}}
  %s = loop.dot %a, %b, %acc of i16, bf16 : i32, i32
  return
}

// -----

func.func @f(%a: i32, %b: i32, %acc: i32) {
  // expected-error @+1 {{got i32 and i32 (dot_c1)}}
  %s = loop.dot %a, %b, %acc of i32, i32 : i32, i32
  return
}

// -----

func.func @f(%a: i32, %b: i32, %acc: i32) {
  // expected-error @+1 {{got i4 and i4 (dot_c1)}}
  %s = loop.dot %a, %b, %acc of i4, i4 : i32, i32
  return
}

// -----

func.func @f(%a: i32, %b: i32, %acc: f32) {
  // expected-error @+1 {{loop.dot: required words of i32 or i64 and sums of i32, got i32 and f32 (dot_c2)}}
  %s = loop.dot %a, %b, %acc of i8, i8 : i32, f32
  return
}

// -----

func.func @f(%a: vector<4xi32>, %b: vector<4xi32>, %acc: vector<4xi32>) {
  // expected-error @+1 {{loop.dot: required words of i32 or i64 and sums of f32, got vector<4xi32> and vector<4xi32> (dot_c2)}}
  %s = loop.dot %a, %b, %acc of bf16, bf16 : vector<4xi32>, vector<4xi32>
  return
}

// -----

func.func @f(%a: i16, %b: i16, %acc: i32) {
  // expected-error @+1 {{loop.dot: required words of i32 or i64 and sums of i32, got i16 and i32 (dot_c2)}}
  %s = loop.dot %a, %b, %acc of i8, i8 : i16, i32
  return
}

// -----

func.func @f(%a: vector<4xi32>, %b: vector<4xi32>, %acc: vector<8xi32>) {
  // expected-error @+1 {{loop.dot: vector<4xi32> and vector<8xi32> have other lanes (dot_c3)}}
  %s = loop.dot %a, %b, %acc of i8, i8 : vector<4xi32>, vector<8xi32>
  return
}

// -----

func.func @f(%a: vector<4xi32>, %b: vector<4xi32>, %acc: i32) {
  // expected-error @+1 {{loop.dot: vector<4xi32> and i32 have other lanes (dot_c3)}}
  %s = loop.dot %a, %b, %acc of i8, i8 : vector<4xi32>, i32
  return
}

// -----

func.func @f(%a: i32, %b: i32, %acc: i32) {
  // expected-error @+1 {{loop.dot: required ui8 and i8 for sums in i16, got ui8 and ui8 (dot_c4)}}
  %s = loop.dot %a, %b, %acc of ui8, ui8 in_i16 : i32, i32
  return
}
