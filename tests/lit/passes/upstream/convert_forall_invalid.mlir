// RUN: mlc-opt %s --convert-linalg-to-tensor --split-input-file --verify-diagnostics

func.func @overlap(%x: tensor<8xf32>, %p: tensor<2xf32>) -> tensor<8xf32> {
  %0 = scf.forall (%i) in (6) shared_outs(%o = %x) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      // expected-error @+1 {{tensor.parallel_insert_slice: found slices of 2 at d0; required: slices that lie side by side}}
      tensor.parallel_insert_slice %p into %o[%i] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @one_slice_of_all(%x: tensor<8xf32>, %p: tensor<8xf32>) -> tensor<8xf32> {
  %0 = scf.forall (%i) in (6) shared_outs(%o = %x) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      // expected-error @+1 {{tensor.parallel_insert_slice: found one slice for all values of counter 0; required: its own}}
      tensor.parallel_insert_slice %p into %o[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @twice(%x: tensor<8xf32>, %p: tensor<1xf32>) -> tensor<8xf32> {
  %0 = scf.forall (%i) in (8) shared_outs(%o = %x) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
      // expected-error @+1 {{tensor.parallel_insert_slice: found a second slice of one shared output; required: one at most}}
      tensor.parallel_insert_slice %p into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @sizes(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<8xf32> {
  %e = tensor.extract %n[] : tensor<i64>
  %size = arith.index_cast %e : i64 to index
  %0 = scf.forall (%i) in (8) shared_outs(%o = %x) -> (tensor<8xf32>) {
    // expected-error @+1 {{tensor.extract_slice: found sizes or strides that are values; required: constants}}
    %p = tensor.extract_slice %x[%i] [%size] [1] : tensor<8xf32> to tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i] [%size] [1] : tensor<?xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}
