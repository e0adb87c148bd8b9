// RUN: mlc-opt %s --expand-math --split-input-file --verify-diagnostics

// expected-error @+1 {{'mlc.degrees' is {exp = 9 : i64}; required: {exp = n : i64} with n from 4 to 6}}
func.func private @large(%x: f32) -> f32 attributes {mlc.degrees = {exp = 9 : i64}} {
  %y = math.exp %x : f32
  return %y : f32
}

// -----

// expected-error @+1 {{'mlc.degrees' is 5 : i64; required: {exp = n : i64} with n from 4 to 6}}
func.func private @number(%x: f32) -> f32 attributes {mlc.degrees = 5 : i64} {
  %y = math.exp %x : f32
  return %y : f32
}

// -----

// expected-error @+1 {{schedule step 'degree' takes a number from 4 to 6, got 3}}
func.func private @low() attributes {schedule = #loop.schedule<[degree(exp, 3)]>}

// -----

// expected-error @+1 {{schedule step 'degree' has no choice of degrees for 'tanh'; required: exp}}
func.func private @other() attributes {schedule = #loop.schedule<[degree(tanh, 5)]>}
