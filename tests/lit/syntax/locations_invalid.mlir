// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// An alias that is defined nowhere.
// expected-error @+1 {{alias '#loc' is not defined}}
"t.op"() : () -> () loc(#loc)

// -----

"t.op"() : () -> () loc(#loc)
// expected-error @+1 {{location '#loc' contains itself}}
#loc = loc(fused["a", #loc])

// -----

"t.op"() : () -> () loc(#a)
#a = loc("a"(#b))
// expected-error @+1 {{location '#a' contains itself}}
#b = loc("b"(#a))

// -----

#a = i32
// expected-error @+1 {{'#a' is not a location}}
"t.op"() : () -> () loc(#a)

// -----

// An error in a definition is told once, however often it is used, in front of it or behind it.
"t.op"() : () -> () loc(#a)
%0 = "t.op"() : () -> i32 loc(#a)
// expected-error @+1 {{expected ':', got ')'}}
#a = loc("a":1)
"t.op"(%0) : (i32) -> () loc(#a)

// -----

// The location of an argument is behind its attributes.
// expected-error @+1 {{the attributes of an argument stand before its location}}
func.func private @f(%a: i32 loc("a":1:2) {t.x})
