// Positions are inside of vectors, shapes can be stretched, and kinds fit elements.
// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @f(%v: vector<4xf32>) {
  // expected-error @+1 {{vector.extract: position 7 in a dim of size 4 of vector<4xf32>}}
  %0 = vector.extract %v[7] : f32 from vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %x: f32) {
  // expected-error @+1 {{vector.insert: position 9 in a dim of size 4 of vector<4xf32>}}
  %0 = vector.insert %x, %v[9] : f32 into vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>) {
  // expected-error @+1 {{vector.broadcast: vector<4xf32> cannot become vector<5xf32>, as 4 is not 5}}
  %0 = vector.broadcast %v : vector<4xf32> to vector<5xf32>
  return
}

// -----

func.func @f(%v: vector<4x4xf32>) {
  // expected-error @+1 {{vector.broadcast: vector<4x4xf32> has more dims than vector<4xf32>}}
  %0 = vector.broadcast %v : vector<4x4xf32> to vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>) {
  // expected-error @+1 {{vector.reduction: elements of type f32 cannot be combined by 'and'}}
  %0 = "vector.reduction"(%v) <{kind = #vector.kind<and>}> : (vector<4xf32>) -> f32
  return
}

// -----

func.func @f(%v: vector<4xi32>) {
  // expected-error @+1 {{vector.reduction: elements of type i32 cannot be combined by 'minimumf'}}
  %0 = "vector.reduction"(%v) <{kind = #vector.kind<minimumf>}> : (vector<4xi32>) -> i32
  return
}
