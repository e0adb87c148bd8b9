// RUN: not mlc-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: arith.sitofp: vector<4xi32> becomes vector<2xf32>; both must have the same shape
func.func @lanes(%v: vector<4xi32>) {
  %0 = arith.sitofp %v : vector<4xi32> to vector<2xf32>
  return
}

// -----

// CHECK: arith.extui: i32 becomes i32, which is no wider
func.func @wider(%i: i32) {
  %0 = arith.extui %i : i32 to i32
  return
}

// -----

// CHECK: arith.trunci: vector<4xi32> becomes vector<4xi64>, which is no narrower
func.func @narrower(%v: vector<4xi32>) {
  %0 = arith.trunci %v : vector<4xi32> to vector<4xi64>
  return
}
