// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @subscripts(%m: memref<4x4xf32>, %i: index) {
  // expected-error @+1 {{affine.load: 1 subscripts for memref<4x4xf32>}}
  %0 = affine.load %m[%i] : memref<4x4xf32>
  return
}

// -----

func.func @dim(%m: memref<4xf32>, %k: memref<4xindex>) {
  affine.for %i = 0 to 4 {
    %j = memref.load %k[%i] : memref<4xindex>
    // expected-error @+1 {{affine.load: the value of dim 0 is not a counter of an affine loop}}
    %0 = affine.load %m[%j] : memref<4xf32>
  }
  return
}

// -----

func.func @symbol(%m: memref<4xf32>) {
  affine.for %i = 0 to 4 {
    // expected-error @+1 {{affine.load: the value of symbol 0 may change: required is a constant, a size, or a value of the function's top level}}
    %0 = affine.load %m[symbol(%i)] : memref<4xf32>
  }
  return
}

// -----

func.func @bound(%k: memref<4xindex>) {
  affine.for %i = 0 to 4 {
    %j = memref.load %k[%i] : memref<4xindex>
    // expected-error @+1 {{affine.for: the value of symbol 0 may change}}
    affine.for %l = 0 to %j {
    }
  }
  return
}

// -----

func.func @if_c1(%n: index) {
  // expected-error @+1 {{affine.if: 0 values for 1 dims and 0 symbols (if_c1)}}
  affine.if affine_set<(d0) : (d0 >= 0)>() {
  }
  return
}

// -----

func.func @if_c2(%n: index, %x: f32) {
  // expected-error @+1 {{affine.if: an op with results needs an else region (if_c2)}}
  %0 = affine.if affine_set<(d0) : (d0 >= 0)>(%n) -> f32 {
    affine.yield %x : f32
  }
  return
}

// -----

func.func @if_c2_types(%n: index, %x: f32) {
  // expected-error @+1 {{affine.if: a region does not yield the types of the results (if_c2)}}
  %0 = affine.if affine_set<(d0) : (d0 >= 0)>(%n) -> f64 {
    affine.yield %x : f32
  } else {
    affine.yield %x : f32
  }
  return
}

// -----

func.func @parallel_c1() {
  // expected-error @+1 {{affine.parallel: 1 bounds for 2 counters (parallel_c1)}}
  affine.parallel (%i, %j) = (0) to (10, 10) {
  }
  return
}

// -----

func.func @parallel_c1_steps() {
  // expected-error @+1 {{affine.parallel: the steps [0] of 1 counters (parallel_c1)}}
  affine.parallel (%i) = (0) to (10) step (0) {
  }
  return
}

// -----

func.func @parallel_c2(%x: f32) {
  // expected-error @+1 {{affine.parallel: the reductions [] of 1 results (parallel_c2)}}
  %0 = affine.parallel (%i) = (0) to (10) -> f32 {
    affine.yield %x : f32
  }
  return
}

// -----

func.func @parallel_c3(%x: f32) {
  // expected-error @+1 {{affine.parallel: the body does not yield the types of the results (parallel_c3)}}
  %0 = affine.parallel (%i) = (0) to (10) reduce ("addf") -> f64 {
    affine.yield %x : f32
  }
  return
}

// -----

func.func @reduction(%x: f32) {
  // expected-error @+1 {{unknown reduction 'sum', required one of addf}}
  %0 = affine.parallel (%i) = (0) to (10) reduce ("sum") -> f32 {
    affine.yield %x : f32
  }
  return
}

// -----

func.func @if_c3(%n: index) {
  // expected-error @+1 {{affine.if: its regions have no arguments (if_c3)}}
  "affine.if"(%n) <{condition = affine_set<(d0) : (d0 >= 0)>}> ({
  ^bb0(%a: i32):
    affine.yield
  }, {}) : (index) -> ()
  return
}

// -----

func.func @max_of_too_few(%n: index) {
  // expected-error @+1 {{found 1 operands; required: 2, as the map has}}
  %0 = affine.max affine_map<(d0)[s0] -> (0, d0 - s0)>(%n)
  return
}

// -----

func.func @max_of_set(%n: index) {
  // expected-error @+1 {{expected an affine map}}
  %0 = affine.max 5(%n)
  return
}
