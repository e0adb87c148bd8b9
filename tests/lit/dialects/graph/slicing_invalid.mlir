// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @concat_c1() {
  // expected-error @+1 {{graph.concat: it has no operands; it needs at least one (concat_c1)}}
  %0 = "graph.concat"() <{axis = 0 : i64}> : () -> tensor<1xf32>
  return
}

// -----

func.func @concat_c2(%a: tensor<2xf32>) {
  // expected-error @+1 {{graph.concat: axis is 1; tensor<2xf32> has axes 0 to 0 (concat_c2)}}
  %0 = graph.concat %a, %a axis 1 : tensor<2xf32>, tensor<2xf32> -> tensor<4xf32>
  return
}

// -----

func.func @concat_c3(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error @+1 {{graph.concat: tensor<2x3xf32> and tensor<2x4xf32> differ in more than the extent of axis 0 (concat_c3)}}
  %0 = graph.concat %a, %b axis 0 : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @slice_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{graph.slice: starts, ends and strides have 1, 2 and 2 elements; tensor<4x8xf32> needs 2 of each (slice_c1)}}
  %0 = graph.slice %x starts [0] ends [4, 8] strides [1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{graph.slice: axis 1 of tensor<4x8xf32> is cut from 2 to 9; stay within 0 to 8 (slice_c2)}}
  %0 = graph.slice %x starts [0, 2] ends [4, 9] strides [1, 1] : tensor<4x8xf32> -> tensor<4x7xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{graph.slice: strides are [0]; each must be at least 1 (slice_c3)}}
  %0 = graph.slice %x starts [0] ends [4] strides [0] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @pad_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{graph.pad: low and high have 2 and 1 elements; tensor<4xf32> needs 1 of each (pad_c1)}}
  %0 = graph.pad %x low [0, 0] high [1] with 0.0 : f32 : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{graph.pad: low [-1] and high [1] must not be negative; use graph.slice to cut (pad_c2)}}
  %0 = graph.pad %x low [-1] high [1] with 0.0 : f32 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{graph.pad: the value is of type i32; tensor<4xf32> needs f32 (pad_c3)}}
  %0 = graph.pad %x low [0] high [1] with 0 : i32 : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @slice_backwards(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{graph.slice: axis 0 of tensor<4x8xf32> is cut from 3 to 2; stay within 0 to 4 (slice_c2)}}
  %0 = graph.slice %x starts [3, 0] ends [2, 8] strides [1, 1] : tensor<4x8xf32> -> tensor<0x8xf32>
  return
}
