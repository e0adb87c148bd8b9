// RUN: mlc-opt %s --convert-stablehlo-to-graph --verify-diagnostics --split-input-file

func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{stablehlo.custom_call: it calls the foreign function 'my_solver', which mlc does not have}}
  %0 = stablehlo.custom_call @my_solver(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @+1 {{stablehlo.custom_call: it calls 'lapack_sgees_ffi' of LAPACK (a Schur form), which mlc does not have; it has potrf, trsm, getrf, geqrf, orgqr, syevd, gesdd}}
  %1 = stablehlo.custom_call @lapack_sgees_ffi(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @+1 {{stablehlo.custom_call: its backend_config says nothing of 'uplo'; required: an API of version 4, as JAX emits}}
  %2:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
  %3 = stablehlo.add %0, %1 : tensor<4x4xf32>
  %4 = stablehlo.add %3, %2#0 : tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}

// -----

func.func @main(%x: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  // expected-error @+1 {{stablehlo.custom_call: it calls 'lapack_cgeev_ffi' of LAPACK (eigenvalues of a matrix that is not symmetric), which mlc does not have; it has potrf, trsm, getrf, geqrf, orgqr, syevd, gesdd}}
  %0:2 = stablehlo.custom_call @lapack_cgeev_ffi(%x) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<4x4xcomplex<f32>>) -> (tensor<4x4xcomplex<f32>>, tensor<i32>)
  return %0#0 : tensor<4x4xcomplex<f32>>
}

// -----

// expected-error @+1 {{the model leaves dims of its inputs open: 'x' (?); code is generated for known shapes, or ranges such as 1..8}}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.abs %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// All reasons are told at once; what needs the result of one that is refused is not.

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{stablehlo.sort: mlc does not know its comparator; required: 'less'}}
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    %2 = stablehlo.compare LT, %1, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.negate %0 : tensor<4xf32>
  %low = stablehlo.constant dense<0.0> : tensor<f32>
  %shape = stablehlo.constant dense<4> : tensor<1xi64>
  // expected-error @+1 {{stablehlo.rng: it draws random numbers from a hidden state; required: a key}}
  %4 = stablehlo.rng %low, %low, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  return %3, %4 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>, %i: tensor<2x1xi32>, %u: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{stablehlo.scatter: its region holds stablehlo.iota, which does not compute element by element}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.iota dim = 0 : tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %n: tensor<2xi64>, %i: tensor<2x1xi64>, %s: tensor<4xui64>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  // expected-error @+1 {{stablehlo.unary_einsum: it sums by '...a->a...'; required: letters of all dims, as in 'ab,bc->ac'}}
  %0 = stablehlo.unary_einsum %x, config = "...a->a..." : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-error @+1 {{stablehlo.dynamic_gather: operand 2 depends on data; required: a constant, or the size of a dim}}
  %1 = "stablehlo.dynamic_gather"(%x, %i, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  // expected-error @+1 {{stablehlo.rng_bit_generator: it draws bits with a state of tensor<4xui64>; required: two or three ui64}}
  %2:2 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<4xui64>) -> (tensor<4xui64>, tensor<2x3xf32>)
  %3 = stablehlo.add %1, %2#1 : tensor<2x3xf32>
  return %0, %3 : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// expected-error @+1 {{'main' calls itself; required: loops, whose bodies end}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = func.call @main(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xtf32>) -> tensor<4xtf32> {
  // expected-error @+1 {{stablehlo.add: it has elements of type tf32, with which mlc does not compute; it has f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64 and i1, and f8E4M3FN, f8E4M3FNUZ, f8E4M3, f8E4M3B11FNUZ, f8E3M4, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, f6E2M3FN, f6E3M2FN, f4E2M1FN, and stores i4, ui4, i2, ui2}}
  %0 = stablehlo.add %x, %x : tensor<4xtf32>
  return %0 : tensor<4xtf32>
}

// -----

func.func @main(%x: tensor<4xi4>) -> tensor<4xi4> {
  // expected-error @+1 {{stablehlo.add: elements of type i4 are only stored, not computed with; convert them to i8 first}}
  %0 = stablehlo.add %x, %x : tensor<4xi4>
  return %0 : tensor<4xi4>
}
