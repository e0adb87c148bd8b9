// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @offset(%m: memref<8x16xf32>) {
  // expected-error @+1 {{memref.subview: the result type is memref<4x4xf32, strided<[16, 1]>>, required: memref<4x4xf32, strided<[16, 1], offset: 2>>, or one without dims of 1}}
  %0 = memref.subview %m[0, 2] [4, 4] [1, 1] : memref<8x16xf32> to memref<4x4xf32, strided<[16, 1]>>
  return
}

// -----

func.func @stride(%m: memref<8x16xf32>) {
  // expected-error @+1 {{required: memref<4x4xf32, strided<[32, 1]>>}}
  %0 = memref.subview %m[0, 0] [4, 4] [2, 1] : memref<8x16xf32> to memref<4x4xf32, strided<[16, 1]>>
  return
}

// -----

func.func @reduced(%m: memref<8x16xf32>) {
  // expected-error @+1 {{or one without dims of 1}}
  %0 = memref.subview %m[0, 0] [4, 4] [1, 1] : memref<8x16xf32> to memref<4xf32, strided<[16]>>
  return
}

// -----

func.func @rank(%m: memref<8x16xf32>) {
  // expected-error @+1 {{memref.subview: 1 offsets for memref<8x16xf32>}}
  %0 = memref.subview %m[0] [4] [1] : memref<8x16xf32> to memref<4xf32>
  return
}

// -----

func.func @negative(%m: memref<8xf32>) {
  // expected-error @+1 {{memref.subview: -1 is negative; offsets and sizes count from 0}}
  %0 = memref.subview %m[-1] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: -1>>
  return
}

// -----

func.func @elements(%m: memref<8xf32>) {
  // expected-error @+1 {{memref.subview: memref<4xf64, strided<[1]>> has other elements or another memory space than memref<8xf32>}}
  %0 = memref.subview %m[0] [4] [1] : memref<8xf32> to memref<4xf64, strided<[1]>>
  return
}

// -----

func.func @offsets(%m: memref<8xf32>) {
  // expected-error @+1 {{memref.reinterpret_cast: 2 offsets, there is one}}
  %0 = memref.reinterpret_cast %m to offset: [0, 0], sizes: [4], strides: [1] : memref<8xf32> to memref<4xf32>
  return
}

// -----

func.func @strides(%m: memref<8xf32>) {
  // expected-error @+1 {{memref.reinterpret_cast: memref<4xf32> has other strides or another offset than are given}}
  %0 = memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [2] : memref<8xf32> to memref<4xf32>
  return
}

// -----

func.func @expanded(%m: memref<8xf32>) {
  // expected-error @+1 {{memref.expand_shape: a dim of memref<8xf32> is a group of memref<2x3xf32>, their sizes differ}}
  %0 = memref.expand_shape %m [[0, 1]] output_shape [2, 3] : memref<8xf32> into memref<2x3xf32>
  return
}

// -----

func.func @given(%m: memref<8xf32>) {
  // expected-error @+1 {{memref.expand_shape: the given sizes and those of memref<2x4xf32> differ}}
  %0 = memref.expand_shape %m [[0, 1]] output_shape [4, 2] : memref<8xf32> into memref<2x4xf32>
  return
}

// -----

func.func @collapsed(%m: memref<8x?xf32>) {
  // expected-error @+1 {{memref.collapse_shape: a dim of memref<8xf32> is a group of memref<8x?xf32>, their sizes differ}}
  %0 = memref.collapse_shape %m [[0, 1]] : memref<8x?xf32> into memref<8xf32>
  return
}

// -----

func.func @global() {
  // expected-error @+1 {{memref.get_global: '@global' is not a memref.global}}
  %0 = memref.get_global @global : memref<8xf32>
  return
}

// -----

memref.global "private" @data : memref<4xf32>

func.func @type() {
  // expected-error @+1 {{memref.get_global: '@data' has type memref<4xf32>, not memref<8xf32>}}
  %0 = memref.get_global @data : memref<8xf32>
  return
}

// -----

// expected-error @+1 {{memref.global: the sizes of memref<?xf32> are not all known (global_c3)}}
memref.global "private" @data : memref<?xf32>

// -----

// expected-error @+1 {{memref.global: the visibility is 'secret', required: public, private or nested (global_c4)}}
memref.global "secret" @data : memref<4xf32>
