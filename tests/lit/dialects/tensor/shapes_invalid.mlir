// Indices, sizes, elements and slices fit the tensors.
// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @f(%t: tensor<4x4xf32>, %x: f32, %i: index) {
  // expected-error @+1 {{tensor.insert: the number of indices is 1, the rank of tensor<4x4xf32> is 2}}
  %0 = tensor.insert %x into %t[%i] : tensor<4x4xf32>
  return
}

// -----

func.func @f(%t: tensor<4x4xf32>, %i: index) {
  // expected-error @+1 {{tensor.extract: the number of indices is 1, the rank of tensor<4x4xf32> is 2}}
  %0 = tensor.extract %t[%i] : tensor<4x4xf32>
  return
}

// -----

func.func @f(%t: tensor<4x4xf32>, %i: index) {
  // expected-error @+1 {{tensor.extract: the number of indices is 3, the rank of tensor<4x4xf32> is 2}}
  %0 = tensor.extract %t[%i, %i, %i] : tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{tensor.from_elements: the number of elements is 2, which does not fill tensor<3xf32>}}
  %0 = tensor.from_elements %x, %x : tensor<3xf32>
  return
}

// -----

func.func @f(%i: index) {
  // expected-error @+1 {{tensor.empty: the number of sizes is 1, tensor<3xf32> leaves 0 open}}
  %0 = tensor.empty(%i) : tensor<3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{tensor.empty: the number of sizes is 0, tensor<?xf32> leaves 1 open}}
  %0 = tensor.empty() : tensor<?xf32>
  return
}

// -----

func.func @f(%t: tensor<4xf32>, %x: f32) {
  %0 = tensor.pad %t low[1] high[1] {
  ^bb0(%i: index):
    // expected-error @+1 {{tensor.yield: yields one value, got 2}}
    "tensor.yield"(%x, %x) : (f32, f32) -> ()
  } : tensor<4xf32> to tensor<6xf32>
  return
}

// -----

func.func @f(%t: tensor<4xf32>, %x: i32) {
  // expected-error @+1 {{tensor.pad: yields i32 for elements of type f32}}
  %0 = tensor.pad %t low[1] high[1] {
  ^bb0(%i: index):
    "tensor.yield"(%x) : (i32) -> ()
  } : tensor<4xf32> to tensor<6xf32>
  return
}

// -----

func.func @f(%t: tensor<4x4xf32>) {
  // expected-error @+1 {{tensor.collapse_shape: the groups have 1 dims, tensor<4x4xf32> has another number}}
  %0 = tensor.collapse_shape %t [[0]] : tensor<4x4xf32> into tensor<16xf32>
  return
}

// -----

func.func @f(%t: tensor<4x4xf32>) {
  // expected-error @+1 {{tensor.collapse_shape: a dim of tensor<17xf32> is a group of tensor<4x4xf32>, their sizes differ}}
  %0 = tensor.collapse_shape %t [[0, 1]] : tensor<4x4xf32> into tensor<17xf32>
  return
}

// -----

func.func @f(%t: tensor<16xf32>) {
  // expected-error @+1 {{tensor.extract_slice: the number of offsets is 2, the rank of tensor<16xf32> is 1}}
  %0 = tensor.extract_slice %t[0, 0] [4, 4] [1, 1] : tensor<16xf32> to tensor<4x4xf32>
  return
}

// -----

func.func @f(%t: tensor<16xf32>) {
  // expected-error @+1 {{tensor.extract_slice: the slice is of type tensor<5xf32>, required: tensor<4xf32>, or one without dims of 1}}
  %0 = tensor.extract_slice %t[0] [4] [1] : tensor<16xf32> to tensor<5xf32>
  return
}

// -----

func.func @f(%t: tensor<16xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{tensor.insert_slice: the slice is of type tensor<4xf32>, required: tensor<5xf32>, or one without dims of 1}}
  %0 = tensor.insert_slice %s into %t[0] [5] [1] : tensor<4xf32> into tensor<16xf32>
  return
}

// -----

func.func @f(%t: tensor<16xf32>, %s: tensor<4xi32>) {
  // expected-error @+1 {{tensor.insert_slice: elements of type i32 in tensor<16xf32>}}
  %0 = tensor.insert_slice %s into %t[0] [4] [1] : tensor<4xi32> into tensor<16xf32>
  return
}
