// RUN: not mlc-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: arith.sitofp: vector<4xi32> becomes vector<2xf32>; both must have the same shape
func.func @lanes(%v: vector<4xi32>) {
  %0 = arith.sitofp %v : vector<4xi32> to vector<2xf32>
  return
}

// -----

// CHECK: arith.extui: i32 becomes i32, which is not wider
func.func @wider(%i: i32) {
  %0 = arith.extui %i : i32 to i32
  return
}

// -----

// CHECK: arith.trunci: vector<4xi32> becomes vector<4xi64>, which is not narrower
func.func @narrower(%v: vector<4xi32>) {
  %0 = arith.trunci %v : vector<4xi32> to vector<4xi64>
  return
}

// -----

func.func @extf(%a: f32) {
  // expected-error @+1 {{arith.extf: f32 becomes f16, which is not wider}}
  %0 = arith.extf %a : f32 to f16
  return
}

// -----

func.func @extf_shape(%a: vector<4xf32>) {
  // expected-error @+1 {{arith.extf: vector<4xf32> becomes vector<5xf64>; both must have the same shape}}
  %0 = arith.extf %a : vector<4xf32> to vector<5xf64>
  return
}

// -----

func.func @truncf(%a: f32) {
  // expected-error @+1 {{arith.truncf: f32 becomes f32, which is not narrower}}
  %0 = arith.truncf %a : f32 to f32
  return
}

// -----

func.func @bitcast(%a: i32) {
  // expected-error @+1 {{arith.bitcast: i32 becomes f64, which has another number of bits}}
  %0 = arith.bitcast %a : i32 to f64
  return
}

// -----

func.func @index_cast(%a: i32) {
  // expected-error @+1 {{arith.index_cast: i32 becomes i64; one of both must be of index}}
  %0 = arith.index_cast %a : i32 to i64
  return
}
