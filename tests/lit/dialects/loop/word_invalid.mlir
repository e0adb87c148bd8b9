// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: i8) {
  // expected-error @+1 {{loop.word: required four numbers of i8, or two of i16, bf16 or f16, got i8, i8 (word_c1)}}
  %w = loop.word %a, %a : i8, i8 -> i32
  return
}

// -----

func.func @f(%a: i8, %b: i16) {
  // expected-error @+1 {{got i8, i8, i8, i16 (word_c1)}}
  %w = loop.word %a, %a, %a, %b : i8, i8, i8, i16 -> i32
  return
}

// -----

func.func @f(%a: i32) {
  // expected-error @+1 {{got i32 (word_c1)}}
  %w = loop.word %a : i32 -> i32
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{got none (word_c1)}}
  %w = loop.word : -> i32
  return
}

// -----

func.func @f(%a: vector<4xi16>) {
  // expected-error @+1 {{loop.word: required a word of i32 for each of vector<4xi16>, got i32 (word_c2)}}
  %w = loop.word %a, %a : vector<4xi16>, vector<4xi16> -> i32
  return
}

// -----

func.func @f(%a: i16) {
  // expected-error @+1 {{got i64 (word_c2)}}
  %w = loop.word %a, %a : i16, i16 -> i64
  return
}
