// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @a_part_of_an_attribute(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'graph.softmax': property 'axis' is 1 : i32; required: i64 instead of i32}}
  %0 = "graph.softmax"(%x) <{axis = 1 : i32}> : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @another_attribute(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'graph.softmax': property 'axis' is "one"; required: an integer, such as 1 : i64}}
  %0 = "graph.softmax"(%x) <{axis = "one"}> : (tensor<4x5xf32>) -> tensor<4x5xf32>
  // expected-error @+1 {{'graph.transpose': property 'permutation' is [1 : i64, 0 : i64]; required: an array, such as array<i64: 1, 2>}}
  %1 = "graph.transpose"(%x) <{permutation = [1, 0]}> : (tensor<4x5xf32>) -> tensor<5x4xf32>
  // expected-error @+1 {{'func.call': property 'callee' is "main"; required: a symbol, such as @main}}
  "func.call"(%x) <{callee = "main"}> : (tensor<4x5xf32>) -> ()
  return
}

// -----

func.func @a_long_attribute(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'graph.transpose': property 'permutation' is dense<[1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1…; required: an array}}
  %0 = "graph.transpose"(%x) <{permutation = dense<[1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]> : tensor<26xi64>}>
      : (tensor<4x5xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @attributes_of_dialects() {
  // expected-error @+1 {{'loop.for': property 'kind' is "parallel"; required: #loop.kind<...>}}
  "loop.for"() <{dim = "n", kind = "parallel", lower = 0 : i64, upper = 5 : i64, step = 1 : i64}> ({
  ^bb0(%n: index):
    loop.yield
  }) : () -> ()
  return
}

// -----

func.func @names(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'graph.softmax': property 'axis' is missing; found 'axes', which it does not have}}
  %0 = "graph.softmax"(%x) <{axes = 1 : i64}> : (tensor<4x5xf32>) -> tensor<4x5xf32>
  // expected-error @+1 {{'graph.softmax': unknown property 'axes'; did you mean 'axis'? (it has axis)}}
  %1 = "graph.softmax"(%x) <{axis = 1 : i64, axes = 1 : i64}> : (tensor<4x5xf32>) -> tensor<4x5xf32>
  // expected-error @+1 {{'tensor.contract': property 'dims' is missing}}
  %2 = "tensor.contract"(%x, %x) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x4xf32>
  // expected-error @+1 {{'memref.alloc': property 'operandSegmentSizes' is missing: how many operands each group has, as in array<i32: 1, 1>}}
  %3 = "memref.alloc"() : () -> memref<3xf32>
  return
}

// -----

func.func @types(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'graph.softmax': result 'result' is of type i32; required: tensor<4x5xf32>}}
  %0 = "graph.softmax"(%x) <{axis = 1 : i64}> : (tensor<4x5xf32>) -> i32
  return
}

// -----

func.func @an_error_stands_on_the_line_that_was_read(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{expected an integer, got a number with a fraction}}
  %0 = graph.softmax %x axis 1.5 : tensor<4x5xf32>

  return
}

// -----

func.func @alternatives(%i: i32, %f: f32, %t: tensor<4xi32>) {
  // expected-error @+1 {{'arith.addf': operand 'lhs' is of type i32; required: a float type, a tensor type or a vector type}}
  %0 = arith.addf %i, %i : i32
  // expected-error @+1 {{'arith.addi': operand 'lhs' is of type f32; required: a tensor type, a vector type, an index type or an integer type}}
  %1 = arith.addi %f, %f : f32
  // expected-error @+1 {{'math.exp': operand 'operand' is of type tensor<4xi32>; required: a float type instead of i32}}
  %2 = math.exp %t : tensor<4xi32>
  // expected-error @+1 {{'arith.sitofp': result 'result' is of type i32; required: a float type, a tensor type or a vector type}}
  %3 = arith.sitofp %i : i32 to i32
  return
}

// -----

func.func @counts(%t: tensor<4xi32>) {
  // expected-error @+1 {{2 operands but 1 operand type}}
  %4 = linalg.add ins(%t, %t : tensor<4xi32>) outs(%t : tensor<4xi32>) -> tensor<4xi32>
  return
}
