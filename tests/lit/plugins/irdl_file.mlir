// RUN: mlc-opt --irdl-file %S/Inputs/pair.irdl %s --split-input-file --verify-diagnostics
// RUN: mlc-opt --irdl-file=%S/Inputs/pair.irdl %s --split-input-file 2>&1 | filecheck %s --check-prefix=FIRST; true

// FIRST: "pair.make"(%a, %a) : (f32, f32) -> !pair.of<f32>
func.func @f(%a: f32) -> !pair.of<f32> {
  %0 = "pair.make"(%a, %a) : (f32, f32) -> !pair.of<f32>
  return %0 : !pair.of<f32>
}

// -----

func.func @g(%a: f32) -> !pair.of<i32> {
  // expected-error @+1 {{'pair.make': result 'result' is of type !pair.of<i32>; required: !pair.of<f32>}}
  %0 = "pair.make"(%a, %a) : (f32, f32) -> !pair.of<i32>
  return %0 : !pair.of<i32>
}

// -----

// expected-error @+1 {{f64}}
func.func @h(%a: !pair.of<f64>) {
  return
}

// -----

func.func @k(%a: f32) {
  // expected-error @+1 {{unknown operation 'pair.mak', did you mean 'pair.make'?}}
  "pair.mak"(%a) : (f32) -> ()
  return
}
