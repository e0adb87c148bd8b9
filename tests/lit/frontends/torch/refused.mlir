// REQUIRES: torch
// RUN: mlc-opt %s --convert-aten-to-graph --split-input-file --verify-diagnostics

func.func @chance(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{aten.rand_like: it draws random numbers, which torch's own generator does}}
  %y = aten.rand_like %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @dropout(%x: tensor<1x1x2x4xf32>) -> tensor<1x1x2x4xf32> {
  // expected-error@+1 {{aten._scaled_dot_product_flash_attention_for_cpu: attention drops out at random, by numbers of torch's own generator}}
  %y, %l = aten._scaled_dot_product_flash_attention_for_cpu %x, %x, %x {aten.operands = array<i64: 1, 1, 1, 0>, dropout_p = 0.5 : f64} : (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) -> (tensor<1x1x2x4xf32>, tensor<1x1x2xf32>)
  return %y : tensor<1x1x2x4xf32>
}

// -----

func.func @complex(%x: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  // expected-error@+1 {{aten.linalg_matrix_exp: it computes with complex numbers, for which mlc has no pattern here}}
  %y = aten.linalg_matrix_exp %x : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  return %y : tensor<4x4xcomplex<f32>>
}

// -----

func.func @mask(%x: tensor<2x3xf32>, %m: tensor<2x3xi1>) -> tensor<4xf32> {
  // expected-error@+1 {{aten.index.Tensor: the shape of its result depends on data: it is tensor<6xf32> at most, not tensor<4xf32>}}
  %y = aten.index.Tensor %x, %m {aten.operands = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<2x3xi1>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @no_pattern(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error@+1 {{aten.linalg_matrix_exp: mlc has no pattern for this operator; --load-pass FILE.py adds one (docs/pytorch.md)}}
  %y = aten.linalg_matrix_exp %x : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// Which factors these are is a matter of strides.

func.func @factors(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error@+1 {{aten._linalg_det: its triangular factors are read: those of the matrix or of the transposed one, as it lies in memory}}
  %d, %lu, %p = aten._linalg_det %x : (tensor<2x2xf32>) -> (tensor<f32>, tensor<2x2xf32>, tensor<2xi32>)
  return %lu : tensor<2x2xf32>
}

// -----

func.func @without_pivots(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error@+1 {{aten.linalg_lu: it is to factor without pivots, which torch does not do on a CPU}}
  %p, %l, %u = aten.linalg_lu %x {pivot = false} : (tensor<2x2xf32>) -> (tensor<0xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  return %u : tensor<2x2xf32>
}

// -----

func.func @memory(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{aten.as_strided: it reads memory after the end of the tensor}}
  %y = aten.as_strided %x {size = array<i64: 4>, stride = array<i64: 2>} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// What torch would refuse is no bug of mlc.

func.func @wrong_shapes(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{aten.mm: tensor<2x3xf32> has 3 columns and tensor<2x3xf32> has 2 rows; these must be equal}}
  %y = aten.mm %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @wrong_result(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{aten.permute: its result 0 is tensor<2x3xf32>; torch gives tensor<3x2xf32>}}
  %y = aten.permute %x {dims = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @wrong_axis(%x: tensor<2x3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{aten.sum.dim_IntList: it has axis 5 of 2}}
  %y = aten.sum.dim_IntList %x {dim = array<i64: 5>} : (tensor<2x3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @between_layers(%x: tensor<5x2x4xf32>, %h: tensor<2x2x4xf32>, %w: tensor<4x4xf32>) -> tensor<5x2x4xf32> {
  // expected-error@+1 {{aten.rnn_tanh.input: it drops out between layers at random, by numbers of torch's own generator}}
  %y, %n = aten.rnn_tanh.input %x, %h, %w, %w, %w, %w {aten.operands = array<i64: 1, 1, 4>, has_biases = false, num_layers = 2 : i64, dropout = 0.5 : f64, train = true, bidirectional = false, batch_first = false} : (tensor<5x2x4xf32>, tensor<2x2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<5x2x4xf32>, tensor<2x2x4xf32>)
  return %y : tensor<5x2x4xf32>
}

// -----

// What an assertion says of types and numbers is checked now; torch itself makes none that does not hold.

func.func @metadata(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{aten._assert_tensor_metadata: its operand has elements of type f32; required: f64}}
  aten._assert_tensor_metadata %x {dtype = f64} : (tensor<4xf32>) -> ()
  return %x : tensor<4xf32>
}

// -----

func.func @size(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{aten._assert_tensor_metadata: its operand has shape [4]; required: [5]}}
  aten._assert_tensor_metadata %x {size = array<i64: 5>} : (tensor<4xf32>) -> ()
  return %x : tensor<4xf32>
}

// -----

func.func @number(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{aten._assert_scalar: what it says does not hold: rows are even}}
  aten._assert_scalar {self = false, assert_msg = "rows are even"} : () -> ()
  return %x : tensor<4xf32>
}

// -----

func.func @range(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{aten.sym_constrain_range: it takes 1; required: 2 to any}}
  aten.sym_constrain_range {size = 1 : i64, min = 2 : i64} : () -> ()
  // expected-error@+1 {{aten.sym_constrain_range_for_size: it takes 7; required: any to 6}}
  aten.sym_constrain_range_for_size {size = 7 : i64, max = 6 : i64} : () -> ()
  return %x : tensor<4xf32>
}

// -----

func.func @elements(%x: tensor<i1>) -> tensor<i1> {
  // expected-error@+1 {{aten._assert_async: it raises an exception if an element is 0, which depends on data}}
  aten._assert_async %x : (tensor<i1>) -> ()
  return %x : tensor<i1>
}

// -----

// An operator that gives nothing is not one that nobody needs.

func.func @errors(%x: tensor<i32>) -> tensor<i32> {
  // expected-error@+1 {{aten._linalg_check_errors: it raises an exception if a matrix is singular, or not positive definite, which depends on data}}
  aten._linalg_check_errors %x {api_name = "inv", is_matrix = true} : (tensor<i32>) -> ()
  return %x : tensor<i32>
}

// -----

// What is known to be wrong is left to torch, which raises its exception.

func.func @known(%w: tensor<4x3xf32>) -> tensor<2x3xf32> attributes {aten.checked} {
  %i = graph.constant dense<[4, 0]> : tensor<2xi64>
  // expected-error@+1 {{aten.embedding: an index is out of range, for which torch raises an exception}}
  %x = aten.embedding %w, %i : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %x : tensor<2x3xf32>
}

// -----

// Of a graph for which torch raises no exceptions, too.

func.func @known_of_an_artifact(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %i = graph.constant dense<[4, 0]> : tensor<2xi64>
  // expected-error@+1 {{aten.index_select: index 4 is out of range for axis 0 of extent 4; required: -4 to 3}}
  %y = aten.index_select %x, %i {dim = 0 : i64} : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// What is refused in a body is told where it stands.

func.func @branch(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.if %c using (%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    // expected-error@+1 {{aten.rand_like: it draws random numbers in a branch or a loop, where there is no seed}}
    %0 = aten.rand_like %a : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// Torch says that an extent depends on data, and nobody knows which value it is.

func.func @unknown_extent(%x: tensor<5x4xf32>) -> tensor<5x4xf32> {
  // expected-error@+1 {{aten.relu: extents of its result depend on data, and mlc does not know what they are}}
  %y = aten.relu %x {aten.extents = [array<i64: 0>]} : (tensor<5x4xf32>) -> tensor<5x4xf32>
  return %y : tensor<5x4xf32>
}
