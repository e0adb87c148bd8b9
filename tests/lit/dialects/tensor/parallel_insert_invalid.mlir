// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @parallel_insert_slice_c1(%x: tensor<4xf32>, %p: tensor<1xf32>) {
  %0 = scf.forall (%i) in (4) shared_outs(%o = %x) -> tensor<4xf32> {
    scf.forall.in_parallel {
      // expected-error @+1 {{2 offsets for tensor<4xf32> (parallel_insert_slice_c1)}}
      tensor.parallel_insert_slice %p into %o[%i, %i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return
}

// -----

func.func @parallel_insert_slice_c2(%x: tensor<4xf32>, %p: tensor<1xf64>) {
  %0 = scf.forall (%i) in (4) shared_outs(%o = %x) -> tensor<4xf32> {
    scf.forall.in_parallel {
      // expected-error @+1 {{the source has elements f64, the destination f32 (parallel_insert_slice_c2)}}
      tensor.parallel_insert_slice %p into %o[%i] [1] [1] : tensor<1xf64> into tensor<4xf32>
    }
  }
  return
}
