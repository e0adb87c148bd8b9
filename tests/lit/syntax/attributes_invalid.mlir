// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// Builtin attributes.

// Numbers.
// expected-error @+1 {{the type of a number is an integer, index or float type, got tensor<2xi32>}}
"t.op"() {v = 1 : tensor<2xi32>} : () -> ()
// expected-error @+1 {{the type of a number is an integer, index or float type, got none}}
"t.op"() {v = 1 : none} : () -> ()
// expected-error @+1 {{a number with a fraction cannot have type i32}}
"t.op"() {v = 1.5 : i32} : () -> ()
// expected-error @+1 {{a number with a fraction cannot have type index}}
"t.op"() {v = 1.5 : index} : () -> ()
// expected-error @+1 {{0x1ffffffff has more bits than f32}}
"t.op"() {v = 0x1FFFFFFFF : f32} : () -> ()
// expected-error @+1 {{Integer value 256 is out of range for type i8 which supports values in the range [-128, 256)}}
"t.op"() {v = 256 : i8} : () -> ()
// expected-error @+1 {{Integer value -129 is out of range for type i8 which supports values in the range [-128, 256)}}
"t.op"() {v = -129 : i8} : () -> ()
// expected-error @+1 {{Integer value -1 is out of range for type ui8 which supports values in the range [0, 256)}}
"t.op"() {v = -1 : ui8} : () -> ()
// expected-error @+1 {{the type of a number is an integer, index or float type, got (i32) -> i32}}
"t.op"() {v = 1 : (i32) -> i32} : () -> ()
// expected-error @+1 {{expected a type, got '}'}}
"t.op"() {v = 1 : } : () -> ()
// expected-error @+1 {{expected a number, got ':'}}
"t.op"() {v = - : i32} : () -> ()
// expected-error @+1 {{expected a number, got 'true'}}
"t.op"() {v = -true} : () -> ()
// expected-error @+1 {{expected ',', ':' or '}', got 'x'}}
"t.op"() {v = 0x : i32} : () -> ()
// expected-error @+1 {{expected ',', ':' or '}', got character '.'}}
"t.op"() {v = 1.5.5} : () -> ()

// -----

// Dictionaries.
// expected-error @+1 {{attribute 'a' appears twice}}
"t.op"() {a = 1, a = 2} : () -> ()
// expected-error @+1 {{attribute 'a' appears twice}}
"t.op"() {a = 1, "a"} : () -> ()
// expected-error @+1 {{attribute 'b' appears twice}}
"t.op"() <{b, b}> : () -> ()
// expected-error @+1 {{attribute 'b' appears twice}}
"t.op"() {a = {b = 1, b = 2}} : () -> ()
// expected-error @+1 {{expected an attribute, got '}'}}
"t.op"() {a = } : () -> ()
// expected-error @+1 {{expected ',', '=' or '}', got 'b'}}
"t.op"() {a b} : () -> ()
// expected-error @+1 {{expected '}', a name or a string, got '5'}}
"t.op"() {5 = 1} : () -> ()
// expected-error @+1 {{expected a name or a string, got '}'}}
"t.op"() {a,} : () -> ()

// -----

// Arrays.
// expected-error @+1 {{expected ',', ':' or ']', got '}'}}
"t.op"() {v = [1, 2} : () -> ()
// expected-error @+1 {{expected ',', ':' or ']', got '2'}}
"t.op"() {v = [1 2]} : () -> ()
// expected-error @+1 {{expected ']' or an attribute, got ','}}
"t.op"() {v = [,]} : () -> ()
// expected-error @+1 {{Integer value 256 is out of range for type i8 which supports values in the range [-128, 256)}}
"t.op"() {v = array<i8: 256>} : () -> ()
// expected-error @+1 {{expected an integer, got a number with a fraction}}
"t.op"() {v = array<i8: 1.5>} : () -> ()
// expected-error @+1 {{the elements of an array are integers or floats, got index}}
"t.op"() {v = array<index: 1>} : () -> ()
// expected-error @+1 {{expected 'false', 'true' or a number, got '>'}}
"t.op"() {v = array<i32: 1,>} : () -> ()
// expected-error @+1 {{expected ':' or '>', got '1'}}
"t.op"() {v = array<i32 1>} : () -> ()
// expected-error @+1 {{expected 'false', 'true' or a number, got 'x'}}
"t.op"() {v = array<i32: x>} : () -> ()
// expected-error @+1 {{the elements of an array are integers or floats, got index}}
"t.op"() {v = array<index>} : () -> ()
// expected-error @+1 {{Integer value -129 is out of range for type i8 which supports values in the range [-128, 256)}}
"t.op"() {v = array<i8: -129>} : () -> ()
// expected-error @+1 {{Integer value 2 is out of range for type i1 which supports values in the range [-1, 2)}}
"t.op"() {v = array<i1: 2>} : () -> ()
// expected-error @+1 {{Integer value -1 is out of range for type ui8 which supports values in the range [0, 256)}}
"t.op"() {v = array<ui8: -1>} : () -> ()

// -----

// Strings and symbols.
// expected-error @+1 {{expected ',' or '}', got ':'}}
"t.op"() {v = "\ff" : i32} : () -> ()
// expected-error @+1 {{expected a symbol such as @main, got 'b'}}
"t.op"() {v = @a::b} : () -> ()
// expected-error @+1 {{expected an attribute, got character '@'}}
"t.op"() {v = @} : () -> ()
// expected-error @+1 {{this string is not valid UTF-8}}
"t.op"() {v = @"\ff"} : () -> ()
// expected-error @+1 {{expected a symbol such as @main, got '}'}}
"t.op"() {v = @a::} : () -> ()
// expected-error @+1 {{this string is not valid UTF-8}}
"t.op"() {v = opaque<"\ff", "a">} : () -> ()
// expected-error @+1 {{expected ',', got '>'}}
"t.op"() {v = opaque<"a">} : () -> ()
// expected-error @+1 {{expected an attribute, got a string that is not closed on its line, or has an unknown escape}}
"t.op"() {v = "unknown \q escape"} : () -> ()
// expected-error @+1 {{expected an attribute, got a string that is not closed on its line, or has an unknown escape}}
"t.op"() {v = "not closed} : () -> ()

// -----

// Layouts and resources.
// expected-error @+1 {{expected an integer, got a number with a fraction}}
"t.op"() {v = strided<[1.5]>} : () -> ()
// expected-error @+1 {{expected an integer, got a number with a fraction}}
"t.op"() {v = strided<[1], offset: 1.5>} : () -> ()
// expected-error @+1 {{expected '[', got '1'}}
"t.op"() {v = strided<1>} : () -> ()
// expected-error @+1 {{expected 'offset', got '5'}}
"t.op"() {v = strided<[1], 5>} : () -> ()
// expected-error @+1 {{expected '?', ']' or a number, got 'x'}}
"t.op"() {v = strided<[x]>} : () -> ()
// expected-error @+1 {{a dense_resource has a shaped type, got i32}}
"t.op"() {v = dense_resource<w> : i32} : () -> ()
// expected-error @+1 {{expected a name or a string, got '5'}}
"t.op"() {v = dense_resource<5> : tensor<2xf32>} : () -> ()
// expected-error @+1 {{expected ':', got '}'}}
"t.op"() {v = dense_resource<w>} : () -> ()

// -----

// Of dialects.
// expected-error @+1 {{Unbalanced '}' in dialect symbol body}}
"t.op"() {v = #t.a<} : () -> ()

// -----

// expected-error @+1 {{expected an attribute, got character '#'}}
"t.op"() {v = #} : () -> ()
// expected-error @+1 {{expected an attribute, got character '!'}}
"t.op"() {v = !} : () -> ()
// expected-error @+1 {{alias '#t' is not defined}}
"t.op"() {v = #t} : () -> ()
// expected-error @+1 {{alias '!t' is not defined}}
"t.op"() {v = !t} : () -> ()
