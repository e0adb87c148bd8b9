// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// Types and literals that MLIR does not have.

// expected-error @+1 {{the sizes of a vector are positive, got 0}}
"t.op"() {x = vector<0xi32>} : () -> ()
// expected-error @+1 {{the sizes of a vector are positive, got 0}}
"t.op"() {x = vector<[4]x0xi32>} : () -> ()
// expected-error @+1 {{a vector has no dynamic sizes}}
"t.op"() {x = vector<?xi32>} : () -> ()
// expected-error @+1 {{a size has at most 64 bits, got 9223372036854775808}}
"t.op"() {x = tensor<9223372036854775808xi32>} : () -> ()
// expected-error @+1 {{a size has at most 64 bits, got 9223372036854775808}}
"t.op"() {x = memref<9223372036854775808x!t.x>} : () -> ()

// -----

// expected-error @+1 {{the elements of a tensor are integers, indices, floats, complex numbers or vectors, got tensor<i8>}}
"t.op"() {x = tensor<tensor<i8>>} : () -> ()
// expected-error @+1 {{the elements of a tensor are integers, indices, floats, complex numbers or vectors, got memref<i8>}}
"t.op"() {x = tensor<4xmemref<i8>, "encoding">} : () -> ()
// expected-error @+1 {{the elements of a tensor are integers, indices, floats, complex numbers or vectors, got none}}
"t.op"() {x = tensor<*xnone>} : () -> ()
// expected-error @+1 {{the elements of a tensor are integers, indices, floats, complex numbers or vectors, got tuple<i8>}}
"t.op"() {x = tensor<tuple<i8>>} : () -> ()
// expected-error @+1 {{the elements of a tensor are integers, indices, floats, complex numbers or vectors, got () -> ()}}
"t.op"() {x = tensor<() -> ()>} : () -> ()

// -----

// expected-error @+1 {{the elements of a memref are integers, indices, floats, complex numbers, vectors or memrefs, got tensor<i8>}}
"t.op"() {x = memref<tensor<i8>>} : () -> ()
// expected-error @+1 {{the elements of a memref are integers, indices, floats, complex numbers, vectors or memrefs, got none}}
"t.op"() {x = memref<4xnone, strided<[1]>, 2>} : () -> ()
// expected-error @+1 {{the elements of a vector are integers, indices or floats, got vector<2xi8>}}
"t.op"() {x = vector<4xvector<2xi8>>} : () -> ()
// expected-error @+1 {{the elements of a vector are integers, indices or floats, got complex<f32>}}
"t.op"() {x = vector<4xcomplex<f32>>} : () -> ()

// -----

// expected-error @+1 {{the layout strided<[1, 2]> is of rank 2, the memref of rank 1}}
"t.op"() {x = memref<4xf32, strided<[1, 2]>>} : () -> ()
// expected-error @+1 {{is of rank 2, the memref of rank 1}}
"t.op"() {x = memref<4xf32, affine_map<(d0, d1) -> (d0)>, 1>} : () -> ()

// -----

// Numbers of float types have a point, as upstream wants it.

// expected-error @+1 {{a number of type f32 has a point, or is its bits in hexadecimal, got 1, as in 1.0}}
"t.op"() {x = 1 : f32} : () -> ()
// expected-error @+1 {{a number of type f32 has a point, or is its bits in hexadecimal, got 4, as in 4.0}}
"t.op"() {x = dense<[4]> : tensor<1xf32>} : () -> ()
// expected-error @+1 {{a number of type f64 has a point, or is its bits in hexadecimal, got -4, as in -4.0}}
"t.op"() {x = dense<[1.5, -4]> : tensor<2xf64>} : () -> ()
// expected-error @+1 {{a number of type f32 has a point, or is its bits in hexadecimal, got 1, as in 1.0}}
"t.op"() {x = dense<(1, 2.0)> : tensor<complex<f32>>} : () -> ()
// expected-error @+1 {{a number of type f32 has a point, or is its bits in hexadecimal, got true}}
"t.op"() {x = dense<true> : tensor<f32>} : () -> ()
// expected-error @+1 {{a number of type f32 has a point, or is its bits in hexadecimal, got 1, as in 1.0}}
"t.op"() {x = array<f32: 1>} : () -> ()
// expected-error @+1 {{0x1ffffffff has more bits than f32}}
"t.op"() {x = array<f32: 0x1ffffffff>} : () -> ()
// -----

// expected-error @+1 {{the name of an operation is empty}}
""() : () -> ()
