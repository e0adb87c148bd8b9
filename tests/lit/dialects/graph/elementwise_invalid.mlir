// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @compare_shapes(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{(compare_c1)}}
  %0 = graph.compare eq, %x, %y : tensor<2xf32>, tensor<3xf32> -> tensor<2xi1>
  return
}

// -----

func.func @compare_element_types(%x: tensor<2xf32>, %y: tensor<2xi32>) {
  // expected-error @+1 {{(compare_c2)}}
  %0 = graph.compare eq, %x, %y : tensor<2xf32>, tensor<2xi32> -> tensor<2xi1>
  return
}

// -----

func.func @where_shapes(%c: tensor<3xi1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{(where_c1)}}
  %0 = graph.where %c, %x, %x : tensor<3xi1>, tensor<2xf32>, tensor<2xf32> -> tensor<3xf32>
  return
}

// -----

func.func @where_element_types(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xi32>) {
  // expected-error @+1 {{(where_c2)}}
  %0 = graph.where %c, %x, %y : tensor<2xi1>, tensor<2xf32>, tensor<2xi32> -> tensor<2xf32>
  return
}

// -----

func.func @where_on_numbers(%x: tensor<2xf32>) {
  // expected-error @+1 {{f32}}
  %0 = graph.where %x, %x, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @cast_keeps_shape(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.cast: the result type is tensor<3xi32>, the operands give tensor<2xi32>}}
  %0 = graph.cast %x : tensor<2xf32> -> tensor<3xi32>
  return
}

// -----

func.func @bitcast_to_another_width(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.bitcast: f32 has 32 bits and i64 has 64; name a type of the same width (bitcast_c1)}}
  %0 = graph.bitcast %x : tensor<2xf32> -> tensor<2xi64>
  return
}

// -----

func.func @bitcast_keeps_shape(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.bitcast: the result type is tensor<3xi32>, the operands give tensor<2xi32>}}
  %0 = graph.bitcast %x : tensor<2xf32> -> tensor<3xi32>
  return
}
