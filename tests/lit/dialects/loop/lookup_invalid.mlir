// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: i8) {
  // expected-error @+1 {{loop.lookup: required a table of tensor<256xi8>, got tensor<255xi8> (lookup_c1)}}
  %a = loop.lookup %x in dense<7> : tensor<255xi8> : i8
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @+1 {{loop.lookup: required codes of i8, got i32 (lookup_c2)}}
  %a = loop.lookup %x in dense<7> : tensor<256xi8> : i32
  return
}
