// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @if_c1(%c: i1) {
  // expected-error @+1 {{scf.if: its regions have no arguments (if_c1)}}
  "scf.if"(%c) ({
  ^bb0(%a: i32):
    scf.yield
  }, {}) : (i1) -> ()
  return
}

// -----

func.func @if_c2(%c: i1, %x: f32) {
  // expected-error @+1 {{scf.if: an op with results needs an else region (if_c2)}}
  %0 = scf.if %c -> f32 {
    scf.yield %x : f32
  }
  return
}

// -----

func.func @if_yield(%c: i1, %x: f32) {
  %0 = scf.if %c -> f64 {
    // expected-error @+1 {{'scf.yield' gives value 0 of type f32, but result 0 of 'scf.if' is of type f64}}
    scf.yield %x : f32
  } else {
    // expected-error @+1 {{'scf.yield' gives value 0 of type f32, but result 0 of 'scf.if' is of type f64}}
    scf.yield %x : f32
  }
  return
}

// -----

func.func @parallel_c1() {
  // expected-error @+1 {{scf.parallel: it has no counter, at least one is needed (parallel_c1)}}
  scf.parallel () = () to () step () {
  }
  return
}

// -----

func.func @parallel_bounds(%l: index) {
  // expected-error @+1 {{1 values for 2 counters}}
  scf.parallel (%i, %j) = (%l, %l) to (%l) step (%l, %l) {
  }
  return
}

// -----

func.func @forall_bounds(%l: index) {
  // expected-error @+1 {{2 bounds or steps for 1 counters}}
  scf.forall (%i) = (0, 1) to (%l) step (1) {
  }
  return
}

// -----

func.func @forall_c1() {
  // expected-error @+1 {{scf.forall: 2 lower bounds or steps for 1 counters (forall_c1)}}
  "scf.forall"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0>, staticLowerBound = array<i64: 0, 0>,
                   staticUpperBound = array<i64: 4>, staticStep = array<i64: 1>}> ({
  ^bb0(%i: index):
    scf.forall.in_parallel {
    }
  }) : () -> ()
  return
}

// -----

func.func @forall_c2() {
  // expected-error @+1 {{scf.forall: the body takes (i32), required: (index) (forall_c2)}}
  "scf.forall"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0>, staticLowerBound = array<i64: 0>,
                   staticUpperBound = array<i64: 4>, staticStep = array<i64: 1>}> ({
  ^bb0(%i: i32):
    scf.forall.in_parallel {
    }
  }) : () -> ()
  return
}

// -----

func.func @forall_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{scf.forall: the results have other types than the shared outputs (forall_c3)}}
  %0 = "scf.forall"(%x) <{operandSegmentSizes = array<i32: 0, 0, 0, 1>, staticLowerBound = array<i64: 0>,
                          staticUpperBound = array<i64: 4>, staticStep = array<i64: 1>}> ({
  ^bb0(%i: index, %o: tensor<4xf32>):
    scf.forall.in_parallel {
    }
  }) : (tensor<4xf32>) -> tensor<4xf64>
  return
}
