// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// Types.

// Numbers of bits, elements and sizes.
// expected-error @+1 {{an integer type has at most 16777215 bits, got i16777216}}
"t.op"() {v = i16777216} : () -> ()
// expected-error @+1 {{unknown type 'f33', did you mean 'f32'?}}
"t.op"() {v = tensor<2xf33>} : () -> ()
// expected-error @+1 {{a vector has no dynamic sizes}}
"t.op"() {v = vector<?xf32>} : () -> ()
// expected-error @+1 {{a vector has no dynamic sizes}}
"t.op"() {v = vector<?x[4]xf32>} : () -> ()
// expected-error @+1 {{expected a size or a type, got '['}}
"t.op"() {v = vector<[?]xf32>} : () -> ()
// expected-error @+1 {{expected '>', got ','}}
"t.op"() {v = vector<f32, 4>} : () -> ()
// expected-error @+1 {{an unranked tensor has no encoding}}
"t.op"() {v = tensor<*xf32, 1>} : () -> ()
// expected-error @+1 {{expected the layout of a memref, got 1 : i64}}
"t.op"() {v = memref<4xf32, 1, 2>} : () -> ()
// expected-error @+1 {{expected the layout of a memref, got strided<[1]>}}
"t.op"() {v = memref<*xf32, strided<[1]>, 2>} : () -> ()
// expected-error @+1 {{a complex type has integer or float parts, got index}}
"t.op"() {v = complex<index>} : () -> ()
// expected-error @+1 {{a complex type has integer or float parts, got !t.t}}
"t.op"() {v = complex<!t.t>} : () -> ()
// expected-error @+1 {{expected '*', a size or a type, got '-'}}
"t.op"() {v = tensor<-1xf32>} : () -> ()
// expected-error @+1 {{expected an integer, got a number with a fraction}}
"t.op"() {v = memref<4xf32, strided<[1.5]>>} : () -> ()

// -----

// Punctuation.
// expected-error @+1 {{expected '*', a size or a type, got '4'}}
"t.op"() {v = tensor<4f32>} : () -> ()
// expected-error @+1 {{expected a size or a type, got '>'}}
"t.op"() {v = tensor<4x>} : () -> ()
// expected-error @+1 {{expected ',' or '>', got '}'}}
"t.op"() {v = tensor<f32} : () -> ()
// expected-error @+1 {{expected '<', got '}'}}
"t.op"() {v = tensor} : () -> ()
// expected-error @+1 {{expected ',' or '>', got 'i32'}}
"t.op"() {v = tuple<f32 i32>} : () -> ()
// expected-error @+1 {{expected an attribute, got '>'}}
"t.op"() {v = memref<4xf32,>} : () -> ()
// expected-error @+1 {{expected '>', got ','}}
"t.op"() {v = complex<f32, f32>} : () -> ()
// expected-error @+1 {{expected a type, got '}'}}
"t.op"() {v = (f32) -> } : () -> ()
// expected-error @+1 {{expected '->', got '}'}}
"t.op"() {v = (f32)} : () -> ()
// expected-error @+1 {{expected ')' or ',', got 'f32'}}
"t.op"() {v = (f32 f32) -> ()} : () -> ()
// expected-error @+1 {{Unbalanced '}' in dialect symbol body}}
"t.op"() {v = !t.t<} : () -> ()
// expected-error @+1 {{expected a size or a type, got '5'}}
"t.op"() {v = tensor<4 x 5>} : () -> ()
// expected-error @+1 {{unknown type 'f33', did you mean 'f32'?}}
"t.op"() {v = f33} : () -> ()
// expected-error @+1 {{expected a size or a type, got 'flaot'}}
"t.op"() {v = tensor<2xflaot>} : () -> ()

// -----

// Locations.
// expected-error @+1 {{expected 'callsite', 'fused', 'unknown', a string or an alias, got '5'}}
"t.op"() {v = loc(5)} : () -> ()
// expected-error @+1 {{expected ':', got ')'}}
"t.op"() {v = loc("file":1)} : () -> ()
// expected-error @+1 {{expected an integer, got 'x'}}
"t.op"() {v = loc("file":1:x)} : () -> ()
// expected-error @+1 {{expected '(', ',', ':' or ']', got '"b"'}}
"t.op"() {v = loc(fused["a" "b"])} : () -> ()
// expected-error @+1 {{expected '(', ':' or 'at', got '"b"'}}
"t.op"() {v = loc(callsite("a" "b"))} : () -> ()
// expected-error @+1 {{expected 'callsite', 'fused', 'unknown', a string or an alias, got 'unknwon'}}
"t.op"() {v = loc(unknwon)} : () -> ()
// expected-error @+1 {{expected '[', got ')'}}
"t.op"() {v = loc(fused<1>)} : () -> ()
// expected-error @+1 {{expected ')', got '}'}}
"t.op"() {v = loc("name"("a")} : () -> ()

// -----

#alias = 5 : i32
// expected-error @+1 {{'#alias' is not a location}}
"t.op"() : () -> () loc(#alias)

// -----

// expected-error @+1 {{alias '#nowhere' is not defined}}
"t.op"() : () -> () loc(#nowhere)

// -----

// Parameters of types and attributes of other dialects.
// expected-error @+1 {{'pdl.value' has no parameters, got 1}}
"t.op"() {v = !pdl.value<1>} : () -> ()
// expected-error @+1 {{'emitc.ptr' has 1 parameter (pointee_type), got none}}
"t.op"() {v = !emitc.ptr} : () -> ()
// expected-error @+1 {{'emitc.ptr' has 1 parameter (pointee_type), got 2}}
"t.op"() {v = !emitc.ptr<i32, i32>} : () -> ()
