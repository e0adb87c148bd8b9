// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%w: i32) {
  // expected-error @+1 {{loop.unpack: required a number from 0 to 7, got 8 (unpack_c1)}}
  %a = loop.unpack %w[8] : i32 to f32
  return
}

// -----

func.func @f(%w: vector<8xi32>) {
  // expected-error @+1 {{loop.unpack: required words of i32 and as many f32, got vector<8xi32> and vector<16xf32> (unpack_c2)}}
  %a = loop.unpack %w[0] : vector<8xi32> to vector<16xf32>
  return
}

// -----

func.func @f(%w: i64) {
  // expected-error @+1 {{loop.unpack: required words of i32 and as many f32, got i64 and f32 (unpack_c2)}}
  %a = loop.unpack %w[0] : i64 to f32
  return
}

// -----

func.func @f(%w: i32) {
  // expected-error @+1 {{loop.unpack_bytes: required fields of 2 or 4 bits, got 8 (unpack_bytes_c1)}}
  %a = loop.unpack_bytes %w[0] of 8 : i32
  return
}

// -----

func.func @f(%w: i32) {
  // expected-error @+1 {{loop.unpack_bytes: required a field from 0 to 1, got 2 (unpack_bytes_c2)}}
  %a = loop.unpack_bytes %w[2] of 4 : i32
  return
}

// -----

func.func @f(%w: i64) {
  // expected-error @+1 {{loop.unpack_bytes: required words of i32, got i64 (unpack_bytes_c3)}}
  %a = loop.unpack_bytes %w[1] of 4 : i64
  return
}
