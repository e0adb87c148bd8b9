// RUN: mlc-opt %s --split-input-file --verify-diagnostics

// expected-note @+1 {{defined here}}
func.func @type(%n: i64) {
  // expected-error @+1 {{value '%n' has type i64, but is used here as index}}
  loop.for parallel "m" %m = 0 to 64 limit %n {
  }
  return
}

// -----

func.func @multiple(%n: index) {
  // expected-error @+1 {{loop.for: the limit is a multiple of 0; required: of 1 or more (for_c8)}}
  loop.for parallel "m" %m = 0 to 64 limit %n by 0 {
  }
  return
}

// -----

func.func @none() {
  // expected-error @+1 {{loop.for: found no limit that is a multiple of 4; required: one (for_c8)}}
  "loop.for"() <{kind = #loop.kind<parallel>, dim = "m", lower = 0 : i64, upper = 8 : i64, step = 1 : i64, limit_by = 4 : i64}> ({
  ^bb0(%m: index):
    "loop.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @three(%n: index) {
  // expected-error @+1 {{loop.for: operands (index, index, index) must be one for each result (), and perhaps a limit and a start of type index (for_c4)}}
  "loop.for"(%n, %n, %n) <{kind = #loop.kind<parallel>, dim = "m", lower = 0 : i64, upper = 8 : i64, step = 1 : i64}> ({
  ^bb0(%m: index):
    "loop.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @start_alone(%n: index) {
  // expected-error @+1 {{Expected 'limit' after a start}}
  loop.for parallel "m" %m = 0 to 64 from %n {
  }
  return
}

// -----

// expected-error @+1 {{the numbers after 'over', 'by' and 'times' are positive}}
func.func private @attribute(%n: tensor<i64>) attributes {limits = #loop.limits<m: argument 0 plus 3 by 0>} {
  return
}
