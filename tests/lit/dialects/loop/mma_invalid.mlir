// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: vector<2x3xi32>, %b: vector<3x5xi32>, %c: vector<2x5xi32>) {
  // expected-error @+1 {{loop.mma: required numbers of one width, of i8, ui8, i16, ui16, bf16 or f16, got i8 and i16 (mma_c1)}}
  %d = loop.mma %a, %b, %c of i8, i16 : vector<2x3xi32>, vector<3x5xi32>, vector<2x5xi32>
  return
}

// -----

func.func @f(%a: vector<2x3xi32>, %b: vector<3x5xi32>, %c: vector<2x5xf32>) {
  // expected-error @+1 {{loop.mma: required matrices of i32, i32 and i32, got vector<2x3xi32>, vector<3x5xi32>, vector<2x5xf32> (mma_c2)}}
  %d = loop.mma %a, %b, %c of i8, i8 : vector<2x3xi32>, vector<3x5xi32>, vector<2x5xf32>
  return
}

// -----

func.func @f(%a: vector<2x3xi32>, %b: vector<4x5xi32>, %c: vector<2x5xi32>) {
  // expected-error @+1 {{loop.mma: required rows x words, words x columns and rows x columns, got vector<2x3xi32>, vector<4x5xi32>, vector<2x5xi32> (mma_c3)}}
  %d = loop.mma %a, %b, %c of i8, i8 : vector<2x3xi32>, vector<4x5xi32>, vector<2x5xi32>
  return
}

// -----

func.func @f(%a: vector<3xi32>, %b: vector<3xi32>, %c: vector<3xi32>) {
  // expected-error @+1 {{loop.mma: required rows x words, words x columns and rows x columns, got vector<3xi32>, vector<3xi32>, vector<3xi32> (mma_c3)}}
  %d = loop.mma %a, %b, %c of i8, i8 : vector<3xi32>, vector<3xi32>, vector<3xi32>
  return
}

// -----

func.func @f(%x: memref<8x8xi8>) {
  // expected-error @+1 {{loop.load: a vector access takes a 1-D vector and at least one subscript, got vector<4x4xi8> from memref<8x8xi8> (access_c5)}}
  %a = loop.load %x[0, 0] : memref<8x8xi8>, vector<4x4xi8>
  return
}

// -----

func.func @f(%x: memref<8x8xi8>) {
  // expected-error @+1 {{loop.load: a vector access takes a 2-D vector and at least one subscript, got vector<4xi8> from memref<8x8xi8> (access_c5)}}
  %a = loop.load %x[0, 0] rows 0 : memref<8x8xi8>, vector<4xi8>
  return
}

// -----

func.func @f(%x: memref<8x8xi8>) {
  // expected-error @+1 {{loop.load: rows 2, the memref has the dims 0 to 1 (access_c2)}}
  %a = loop.load %x[0, 0] rows 2 : memref<8x8xi8>, vector<4x4xi8>
  return
}

// -----

func.func @f(%x: memref<8x8xi8>) {
  // expected-error @+1 {{loop.load: row_stride 0, required a positive number (access_c3)}}
  %a = loop.load %x[0, 0] rows 0 row_stride 0 : memref<8x8xi8>, vector<4x4xi8>
  return
}

// -----

func.func @f(%x: memref<8x8xi8>) {
  // expected-error @+1 {{loop.load: the rows of a matrix are read as they lie, without along, stride and active (access_c8)}}
  %a = loop.load %x[0, 0] active 3 rows 0 : memref<8x8xi8>, vector<4x4xi8>
  return
}

// -----

// The last row is outside.
func.func @f(%x: memref<8x8xi8>) {
  // expected-error @+1 {{loop.load: subscript 0 runs from 5 to 8, outside of memref<8x8xi8>}}
  %a = loop.load %x[5, 0] rows 0 : memref<8x8xi8>, vector<4x4xi8>
  return
}

// -----

func.func @f(%x: memref<8x8xi8>) {
  // expected-error @+1 {{loop.load: subscript 0 runs from 0 to 9, outside of memref<8x8xi8>}}
  %a = loop.load %x[0, 0] rows 0 row_stride 3 : memref<8x8xi8>, vector<4x4xi8>
  return
}
