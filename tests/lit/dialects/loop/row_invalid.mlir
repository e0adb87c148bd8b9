// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @c1(%x: memref<f32>, %i: index) {
  // expected-error @+1 {{loop.row: the buffer must be static, row-major and have a dim, got memref<f32> (row_c1)}}
  %0 = loop.row %x[%i] : memref<f32> -> memref<f32>
  return
}

// -----

func.func @c1_unknown(%x: memref<?x4xf32>, %i: index) {
  // expected-error @+1 {{loop.row: the buffer must be static, row-major and have a dim, got memref<?x4xf32> (row_c1)}}
  %0 = loop.row %x[%i] : memref<?x4xf32> -> memref<4xf32>
  return
}

// -----

func.func @c2(%x: memref<3x4xf32>, %i: index) {
  // expected-error @+1 {{loop.row: the result type is memref<3xf32>, a row is memref<4xf32> (row_c2)}}
  %0 = loop.row %x[%i] : memref<3x4xf32> -> memref<3xf32>
  return
}
