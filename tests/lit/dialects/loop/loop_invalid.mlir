// RUN: mlc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{loop.for: step must be positive, got 0}}
loop.for serial "m" %m = 0 to 8 step 0 {
}

// -----

// expected-error @+1 {{loop.for: 'most_threads' must be an i64, 1 or more, got 0 : i64}}
loop.for threads "m" %m = 0 to 8 attributes {most_threads = 0 : i64} {
}

// -----

// expected-error @+1 {{loop.for: 'most_threads' must be an i64, 1 or more, got 4 : i32}}
loop.for threads "m" %m = 0 to 8 attributes {most_threads = 4 : i32} {
}

// -----

// expected-error @+1 {{loop.for: 'most_threads' must be an i64, 1 or more, got "all"}}
loop.for threads "m" %m = 0 to 8 attributes {most_threads = "all"} {
}

// -----

%zero = arith.constant 0.0 : f32
// expected-error @+1 {{loop.for: a parallel loop cannot carry values, got 1 iter_args}}
%r = loop.for parallel "m" %m = 0 to 8 iter_args(%a = %zero) -> (f32) {
  loop.yield %a : f32
}

// -----

%zero = arith.constant 0.0 : f32
// expected-error @+1 {{loop.for: the body yields (index), the iter_args are (f32)}}
%r = loop.for serial "m" %m = 0 to 8 iter_args(%a = %zero) -> (f32) {
  loop.yield %m : index
}

// -----

%zero = arith.constant 0.0 : f32
// expected-error @+1 {{expected 1 types, one for each of the iter_args, got 2}}
%r = loop.for serial "m" %m = 0 to 8 iter_args(%a = %zero) -> (f32, f32) {
  loop.yield %a : f32
}

// -----

func.func @f(%x: memref<8x8xf32>) {
  loop.for serial "m" %m = 0 to 8 {
    // expected-error @+1 {{loop.load: 1 subscripts for memref<8x8xf32>, which takes 2}}
    %a = loop.load %x[%m] : memref<8x8xf32>
  }
  return
}

// -----

func.func @f(%x: memref<?xf32>) {
  loop.for serial "m" %m = 0 to 8 {
    // expected-error @+1 {{loop.load: the memref must be static and row-major, got memref<?xf32>}}
    %a = loop.load %x[%m] : memref<?xf32>
  }
  return
}

// -----

func.func @f(%x: memref<8xf32>) {
  // expected-error @+1 {{loop.load: vector<4xf64> does not fit the elements of memref<8xf32>: required f32, or a vector of it}}
  %a = loop.load %x[0] : memref<8xf32>, vector<4xf64>
  return
}

// -----

func.func @f(%x: memref<8xf32>) {
  // expected-error @+1 {{loop.load: 'along', 'stride', 'active', 'rows' and 'row_stride' are about lanes, got one element (access_c1)}}
  %a = loop.load %x[0] stride 2 : memref<8xf32>
  return
}

// -----

func.func @f(%x: memref<8x8xf32>) {
  // expected-error @+1 {{loop.load: along 2, the memref has the dims 0 to 1 (access_c2)}}
  %a = loop.load %x[0, 0] along 2 : memref<8x8xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%x: memref<8x8xf32>) {
  // expected-error @+1 {{loop.load: stride 0, required a positive number (access_c3)}}
  %a = loop.load %x[0, 0] stride 0 : memref<8x8xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%x: memref<8xf32>) {
  %v = loop.load %x[0] : memref<8xf32>, vector<4xf32>
  // expected-error @+1 {{loop.store: 5 active lanes, required 1 to 4 (access_c4)}}
  loop.store %v, %x[0] active 5 : memref<8xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%x: memref<8xf32>) {
  %v = loop.load %x[0] : memref<8xf32>, vector<4xf32>
  // expected-error @+1 {{loop.store: 0 active lanes, required 1 to 4 (access_c4)}}
  loop.store %v, %x[0] active 0 : memref<8xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%x: memref<8xf32>) {
  // expected-error @+1 {{loop.constant: the data has type tensor<4xf32>, the buffer memref<8xf32>; shapes and elements must be equal}}
  %a = loop.constant dense<0.0> : tensor<4xf32> to memref<8xf32>
  return
}

// -----

// expected-error @+1 {{unknown schedule step 'tyle'; did you mean 'tile'? the steps are blocked_summation, cache_read, cache_write, clang, clip, degree, dot, dot_taps, fuse, interchange, llvm_unroll, mma, pack, partition, prefetch, prefetch_next, reuse_result, split_reduction, store_early, threads, tile, unpack, unroll, unroll_reduction, vectorize, vectorize_reduction}}
func.func private @f() attributes {schedule = #loop.schedule<[tyle(n, 16)]>}

// -----

// expected-error @+1 {{schedule step 'tile' takes one number, got none}}
func.func private @f() attributes {schedule = #loop.schedule<[tile(n)]>}

// -----

// expected-error @+1 {{schedule step 'prefetch_next' takes a number from 1 to 3, got 4}}
func.func private @f() attributes {schedule = #loop.schedule<[prefetch_next(k, n, 4)]>}

// -----

// expected-error @+1 {{schedule step 'clang' takes a number from 0 to 3, got 4}}
func.func private @f() attributes {schedule = #loop.schedule<[clang(4)]>}

// -----

// expected-error @+1 {{schedule step 'clang' takes a number from 0 to 3, got -1}}
func.func private @f() attributes {schedule = #loop.schedule<[clang(-1)]>}

// -----

// expected-error @+1 {{schedule step 'clang' takes no name, got 1 name (n); it is written as in 'clang(2)'}}
func.func private @f() attributes {schedule = #loop.schedule<[clang(n, 2)]>}

// -----

// expected-error @+1 {{schedule step 'clang' takes one number, got none}}
func.func private @f() attributes {schedule = #loop.schedule<[clang()]>}

// -----

// expected-error @+1 {{schedule step 'unroll' takes 1 loop name, got 2 names (n, m)}}
func.func private @f() attributes {schedule = #loop.schedule<[unroll(n, m)]>}

// -----

// expected-error @+1 {{schedule step 'interchange' takes 2 or more loop names, got 1}}
func.func private @f() attributes {schedule = #loop.schedule<[interchange(n)]>}

// -----

// expected-error @+1 {{unknown schedule step 'tiel'; did you mean 'tile'? the steps are}}
func.func private @f() attributes {schedule = #loop.schedule<[tiel(n, 16)]>}

// -----

// expected-error @+1 {{schedule step 'tile' takes a number as its last argument, got 'x'}}
func.func private @f() attributes {schedule = #loop.schedule<[tile(n, x)]>}

// -----

// expected-error @+1 {{schedule step 'interchange(n, n)' names 'n' twice}}
func.func private @f() attributes {schedule = #loop.schedule<[interchange(n, n)]>}

// -----

// expected-error @+1 {{schedule step 'tile': numbers stand after names}}
func.func private @f() attributes {schedule = #loop.schedule<[tile(16, n)]>}

// -----

// expected-error @+1 {{identifier expected, a name, or a whole number, got '1.5'}}
func.func private @f() attributes {schedule = #loop.schedule<[tile(n, 1.5)]>}

// -----

func.func @shift(%x: memref<8xf32>, %y: memref<9xf32> {mlc.output}) {
  // expected-error @+1 {{loop.for: the iterations of a parallel loop must be independent, but %i = 0 and 1 both touch element [1] of '%y', and one of them writes it: make the loop serial}}
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %y[%i] : memref<9xf32>
    %b = loop.load %x[%i] : memref<8xf32>
    %c = arith.addf %a, %b : f32
    loop.store %c, %y[%i + 1] : memref<9xf32>
  }
  return
}

// -----

// A vector reaches into the next iteration.
func.func @lanes(%y: memref<12xf32> {mlc.output}) {
  %v = arith.constant dense<1.0> : vector<4xf32>
  // expected-error @+1 {{loop.for: the iterations of a threads loop must be independent, but %i = 0 and 3 both touch element [3] of '%y'}}
  loop.for threads "i" %i = 0 to 9 step 3 {
    loop.store %v, %y[%i] : memref<12xf32>, vector<4xf32>
  }
  return
}

// -----

// What an outer loop keeps apart is the same iteration to the inner one.
func.func @rows(%y: memref<4x4xf32> {mlc.output}) {
  %a = arith.constant 1.0 : f32
  loop.for serial "m" %m = 0 to 4 {
    // expected-error @+1 {{loop.for: the iterations of a parallel loop must be independent, but %n = 0 and 3 both touch element [0, 2] of '%y'}}
    loop.for parallel "n" %n = 0 to 4 {
      loop.store %a, %y[%m, 2] : memref<4x4xf32>
    }
  }
  return
}

// -----

func.func @f() {
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{loop.for: results (f64) must have the types of the iter_args (f32) (for_c4)}}
  %r = "loop.for"(%z) <{kind = #loop.kind<serial>, dim = "k", lower = 0 : i64, upper = 4 : i64, step = 1 : i64}> ({
  ^bb0(%k: index, %a: f32):
    "loop.yield"(%a) : (f32) -> ()
  }) : (f32) -> f64
  return
}

// -----

func.func private @f(%x: memref<8xf32>) {
  // expected-error @+1 {{loop.prefetch: found a cache of level 4, required 1, 2 or 3 (prefetch_c1)}}
  loop.prefetch %x[0] to 4 : memref<8xf32>
  return
}
