// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// Dense literals that are malformed, or do not fit their type.

// Strings of bytes.
// expected-error @+1 {{a dense string starts with 0x}}
"t.op"() {v = dense<"0000"> : tensor<2xi8>} : () -> ()
// expected-error @+1 {{a dense string holds pairs of hexadecimal digits after 0x}}
"t.op"() {v = dense<"0x0"> : tensor<2xi8>} : () -> ()
// expected-error @+1 {{a dense string holds pairs of hexadecimal digits after 0x}}
"t.op"() {v = dense<"0xgg"> : tensor<2xi8>} : () -> ()
// expected-error @+1 {{tensor<2xi8> has 2 elements of 1 bytes, but the literal has 3 bytes}}
"t.op"() {v = dense<"0x000102"> : tensor<2xi8>} : () -> ()

// -----

// Types.
// expected-error @+1 {{a dense literal is of a tensor, memref or vector type, got i32}}
"t.op"() {v = dense<1> : i32} : () -> ()
// expected-error @+1 {{a dense literal has integer, index, float or complex elements, got !t.t}}
"t.op"() {v = dense<1> : tensor<2x!t.t>} : () -> ()
// expected-error @+1 {{a dense literal has a type of known sizes, got tensor<?xi32>}}
"t.op"() {v = dense<1> : tensor<?xi32>} : () -> ()
// expected-error @+1 {{a dense literal is of a tensor, memref or vector type, got tensor<*xi32>}}
"t.op"() {v = dense<1> : tensor<*xi32>} : () -> ()
// expected-error @+1 {{a dense literal is of a tensor, memref or vector type, got tuple<i32>}}
"t.op"() {v = dense<1> : tuple<i32>} : () -> ()

// -----

// Shapes.
// expected-error @+1 {{the lists in a dense literal differ in shape: [2] and [1]}}
"t.op"() {v = dense<[[1, 2], [3]]> : tensor<2x2xi32>} : () -> ()
// expected-error @+1 {{the lists in a dense literal differ in shape: [2] and [1]}}
"t.op"() {v = dense<[[1.0, 0x01], [3.0]]> : tensor<2x2xf32>} : () -> ()
// expected-error @+1 {{the lists in a dense literal differ in shape: [] and [1]}}
"t.op"() {v = dense<[1, [2]]> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{tensor<2x1xi32> has shape [2, 1], but the dense literal has shape [2]}}
"t.op"() {v = dense<[1, 2]> : tensor<2x1xi32>} : () -> ()
// expected-error @+1 {{tensor<2xi32> has 2 elements, got none}}
"t.op"() {v = dense<> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{tensor<2xi32> has 2 elements, got none}}
"t.op"() {v = dense<[]> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{tensor<2x1xi32> has 2 elements, got none}}
"t.op"() {v = dense<[[], []]> : tensor<2x1xi32>} : () -> ()
// expected-error @+1 {{tensor<0xi32> has shape [0], but the dense literal has shape [2]}}
"t.op"() {v = dense<[1, 2]> : tensor<0xi32>} : () -> ()

// -----

// Elements.
// expected-error @+1 {{numbers with fractions do not fit i32}}
"t.op"() {v = dense<[1, 2.5]> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{numbers with fractions do not fit index}}
"t.op"() {v = dense<2.5> : tensor<2xindex>} : () -> ()
// expected-error @+1 {{booleans do not fit i32}}
"t.op"() {v = dense<true> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{booleans do not fit index}}
"t.op"() {v = dense<[true, false]> : tensor<2xindex>} : () -> ()
// expected-error @+1 {{a negative number does not fit ui8}}
"t.op"() {v = dense<-1> : tensor<2xui8>} : () -> ()
// expected-error @+1 {{Integer value 256 is out of range for type i8 which supports values in the range [-128, 256)}}
"t.op"() {v = dense<256> : tensor<2xi8>} : () -> ()
// expected-error @+1 {{Integer value -129 is out of range for type i8 which supports values in the range [-128, 256)}}
"t.op"() {v = dense<[0, -129]> : tensor<2xi8>} : () -> ()
// expected-error @+1 {{Integer value 2 is out of range for type i1 which supports values in the range [-1, 2)}}
"t.op"() {v = dense<2> : tensor<2xi1>} : () -> ()
// expected-error @+1 {{Integer value 256 is out of range for type ui8 which supports values in the range [0, 256)}}
"t.op"() {v = dense<256> : tensor<2xui8>} : () -> ()
// expected-error @+1 {{Integer value 128 is out of range for type si8 which supports values in the range [-128, 128)}}
"t.op"() {v = dense<128> : tensor<2xsi8>} : () -> ()
// expected-error @+1 {{complex elements do not fit f32}}
"t.op"() {v = dense<(1.0, 2.0)> : tensor<2xf32>} : () -> ()
// expected-error @+1 {{expected complex elements such as (1.0, 2.0)}}
"t.op"() {v = dense<1.0> : tensor<2xcomplex<f32>>} : () -> ()
// expected-error @+1 {{numbers with fractions do not fit i32}}
"t.op"() {v = dense<(1.5, 2.5)> : tensor<2xcomplex<i32>>} : () -> ()
// expected-error @+1 {{a number in the dense literal does not fit f16}}
"t.op"() {v = dense<65536.0> : tensor<2xf16>} : () -> ()

// -----

// Brackets and commas.
// expected-error @+1 {{unexpected ']' in a dense literal}}
"t.op"() {v = dense<[1, 2,]> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{expected a number, got ','}}
"t.op"() {v = dense<[,1]> : tensor<1xi32>} : () -> ()
// expected-error @+1 {{expected a number, got ','}}
"t.op"() {v = dense<[1,,2]> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{expected ',' or ']', got '2'}}
"t.op"() {v = dense<[1 2]> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{expected ',' or ']', got '['}}
"t.op"() {v = dense<[1 [2]]> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{unexpected ']' in a dense literal}}
"t.op"() {v = dense<[1]]> : tensor<1xi32>} : () -> ()
// expected-error @+1 {{a dense literal is one number or one list of numbers}}
"t.op"() {v = dense<[[1]> : tensor<1xi32>} : () -> ()
// expected-error @+1 {{a dense literal is one number or one list of numbers}}
"t.op"() {v = dense<[1], [2]> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{expected a number}}
"t.op"() {v = dense<[1, e2]> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{expected a number}}
"t.op"() {v = dense<[1, 2e]> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{expected ',' or ']', got '2'}}
"t.op"() {v = dense<[1] 2> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{expected a number}}
"t.op"() {v = dense<[true, flase]> : tensor<2xi1>} : () -> ()
// expected-error @+1 {{expected '(', '[', 'false', 'true' or a number, got 'x'}}
"t.op"() {v = dense<[1, x]> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{expected ',' or ']', got '3'}}
"t.op"() {v = dense<[1, 0x02 3]> : tensor<2xi32>} : () -> ()
// expected-error @+1 {{expected ',', got ')'}}
"t.op"() {v = dense<(1.0)> : tensor<2xcomplex<f32>>} : () -> ()
// expected-error @+1 {{expected '>', got ':'}}
"t.op"() {v = dense<[1, 2] : tensor<2xi32>} : () -> ()
// expected-error @+1 {{expected ':', got '}'}}
"t.op"() {v = dense<1>} : () -> ()
// expected-error @+1 {{the type of a number is an integer, index or float type, got tensor<2xi32>}}
"t.op"() {v = 5 : tensor<2xi32>} : () -> ()

// -----

// expected-error @+1 {{expected ',' or ']', got '2'}}
"t.op"() {x = dense<[1 2, 3]> : tensor<2xi32>} : () -> ()

// -----

// expected-error @+1 {{a dense literal is one number or one list of numbers}}
"t.op"() {x = dense<1, 2> : tensor<2xi32>} : () -> ()

// -----

// expected-error @+1 {{expected a number}}
"t.op"() {x = dense<[.5, 1.0]> : tensor<2xf32>} : () -> ()

// -----

// expected-error @+1 {{a number in the dense literal does not fit index}}
"t.op"() {x = dense<99999999999999999999> : tensor<2xindex>} : () -> ()

// -----

// expected-error @+1 {{a dense literal cannot have elements of type f80 here}}
"t.op"() {x = dense<1.0> : tensor<2xf80>} : () -> ()

// -----

// What would take gigabytes of memory is refused before it takes any.
// expected-error @+1 {{one number stands for 1099511627776 elements, more than 1 GiB; broadcast a dense literal of fewer elements}}
"t.op"() {v = dense<1.0> : tensor<1099511627776xf32>} : () -> ()
// expected-error @+1 {{one number stands for 25600000000000000000000000 elements, more than 1 GiB}}
"t.op"() {v = dense<1> : tensor<4000000x4000000x4000000x400000xi8>} : () -> ()
// expected-error @+1 {{one number stands for 1099511627776 elements, more than 1 GiB}}
"t.op"() {v = dense<true> : vector<1099511627776xi1>} : () -> ()
// expected-error @+1 {{one number stands for 1099511627776 elements, more than 1 GiB}}
"t.op"() {v = dense<(1.0, 2.0)> : tensor<1099511627776xcomplex<f32>>} : () -> ()
// expected-error @+1 {{one number stands for 1099511627776 elements, more than 1 GiB}}
"t.op"() {v = dense<"0x0000803F"> : tensor<1099511627776xf32>} : () -> ()
// expected-error @+1 {{tensor<1099511627776xf32> has 1099511627776 elements of 4 bytes, but the literal has 8 bytes}}
"t.op"() {v = dense<"0x0000803F0000803F"> : tensor<1099511627776xf32>} : () -> ()
// expected-error @+1 {{tensor<1099511627776xf32> has shape [1099511627776], but the dense literal has shape [2]}}
"t.op"() {v = dense<[1.0, 2.0]> : tensor<1099511627776xf32>} : () -> ()
