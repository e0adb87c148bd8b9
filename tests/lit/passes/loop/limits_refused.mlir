// RUN: mlc-opt %s --convert-tensor-to-loop --apply-schedule --split-input-file --verify-diagnostics
// NO-CHECK-EACH: what is after a limit is data, as no caller says otherwise

func.func private @blocks(%x: tensor<200xf32>, %n: tensor<i64>) -> tensor<f32>
    attributes {limits = #loop.limits<k: argument 1 by 16>, schedule = #loop.schedule<[tile(k, 12)]>} {
  // expected-warning @+1 {{loop 'k' not changed by 'tile': its limit is a multiple of 16; required: one of 12}}
  %y = tensor.reduce add %x[k] over () reduce (k: 200) : tensor<200xf32> -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func private @copies(%x: tensor<20xf32>, %n: tensor<i64>) -> tensor<f32>
    attributes {limits = #loop.limits<k: argument 1 by 16>, schedule = #loop.schedule<[unroll(k)]>} {
  // expected-warning @+1 {{loop 'k' not unrolled: it ends at a limit, which is known at run time}}
  %y = tensor.reduce add %x[k] over () reduce (k: 20) : tensor<20xf32> -> tensor<f32>
  return %y : tensor<f32>
}
