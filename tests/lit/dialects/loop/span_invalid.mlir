// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @c1(%x: memref<?x4xf32>) {
  // expected-error @+1 {{loop.span: the buffer must be static and row-major, got memref<?x4xf32> (span_c1)}}
  %0 = loop.span %x from 0 : memref<?x4xf32> -> memref<4xf32>
  return
}

// -----

func.func @c1_layout(%x: memref<3x4xf32, strided<[8, 1]>>) {
  // expected-error @+1 {{loop.span: the buffer must be static and row-major, got memref<3x4xf32, strided<[8, 1]>> (span_c1)}}
  %0 = loop.span %x from 0 : memref<3x4xf32, strided<[8, 1]>> -> memref<4xf32>
  return
}

// -----

func.func @c2_dims(%x: memref<3x4xf32>) {
  // expected-error @+1 {{loop.span: the result type is memref<2x4xf32>, required one static dim of f32 (span_c2)}}
  %0 = loop.span %x from 0 : memref<3x4xf32> -> memref<2x4xf32>
  return
}

// -----

func.func @c2_element(%x: memref<3x4xf32>) {
  // expected-error @+1 {{loop.span: the result type is memref<4xf64>, required one static dim of f32 (span_c2)}}
  %0 = loop.span %x from 0 : memref<3x4xf32> -> memref<4xf64>
  return
}

// -----

func.func @c2_unknown(%x: memref<3x4xf32>) {
  // expected-error @+1 {{loop.span: the result type is memref<?xf32>, required one static dim of f32 (span_c2)}}
  %0 = loop.span %x from 0 : memref<3x4xf32> -> memref<?xf32>
  return
}

// -----

func.func @c3_behind(%x: memref<3x4xf32>) {
  // expected-error @+1 {{loop.span: takes the elements 9 to 12, the buffer has 0 to 11 (span_c3)}}
  %0 = loop.span %x from 9 : memref<3x4xf32> -> memref<4xf32>
  return
}

// -----

func.func @c3_before(%x: memref<3x4xf32>) {
  // expected-error @+1 {{loop.span: takes the elements -1 to 2, the buffer has 0 to 11 (span_c3)}}
  %0 = loop.span %x from -1 : memref<3x4xf32> -> memref<4xf32>
  return
}
