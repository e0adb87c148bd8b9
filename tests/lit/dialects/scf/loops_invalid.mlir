// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%n: index, %x: f32) {
  // expected-error @+1 {{scf.for: the results are (), the loop carries (f32)}}
  "scf.for"(%n, %n, %n, %x) ({
  ^bb0(%i: index, %a: f32):
    scf.yield %a : f32
  }) : (index, index, index, f32) -> ()
  return
}

// -----

func.func @f(%n: index, %x: f32) {
  // expected-error @+1 {{scf.for: the results are (f64), the loop carries (f32)}}
  "scf.for"(%n, %n, %n, %x) ({
  ^bb0(%i: index, %a: f32):
    scf.yield %a : f32
  }) : (index, index, index, f32) -> (f64)
  return
}

// -----

func.func @f(%n: index) {
  %zero = arith.constant 0 : index
  // expected-error @+1 {{scf.parallel: a step is positive, got 0}}
  scf.parallel (%i) = (%n) to (%n) step (%zero) {
  }
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{scf.forall: 2 mappings for 1 counters (forall_c4)}}
  scf.forall (%i) in (%n) {
  } {mapping = [#gpu.block<x>, #gpu.block<y>]}
  return
}

// -----

func.func @f(%part: tensor<1xf32>, %init: tensor<8xf32>) {
  // expected-error @+1 {{scf.forall: a slice is written to a value that is not a shared output (forall_c5)}}
  %y = scf.forall (%i) in (8) shared_outs(%out = %init) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %part into %init[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{scf.forall: found 'arith.constant' at the end; required: tensor.parallel_insert_slice (forall_c5)}}
  scf.forall (%i) in (%n) {
    scf.forall.in_parallel {
      %c = arith.constant 1 : index
    }
  }
  return
}
