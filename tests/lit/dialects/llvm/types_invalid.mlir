// RUN: mlc-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// expected-error @+1 {{unknown type '!llvm.ifoo'}}
"t.op"() : () -> !llvm.ifoo

// -----

// expected-error @+1 {{unknown attribute '#llvm.tbaa_rot'}}
"t.op"() {a = #llvm.tbaa_rot<id = "a">} : () -> ()

// -----

// expected-error @+1 {{!llvm.void is not the type of an element of !llvm.array<4 x !llvm.void>}}
"t.op"() : () -> !llvm.array<4 x void>

// -----

// expected-error @+1 {{!llvm.void is not the type of an element of !llvm.struct<(!llvm.void)>}}
"t.op"() : () -> !llvm.array<2 x struct<(void)>>

// -----

// expected-error @+1 {{'llvm.vec' is written as <4 x ptr>, <? x 4 x ptr> or with ppc_fp128 for ptr (vector is for types of builtin), got <4 x f32>}}
"t.op"() : () -> !llvm.vec<4 x f32>

// -----

// expected-error @+1 {{'llvm.vec' is written as}}
"t.op"() : () -> !llvm.vec<0 x ptr>

// -----

// expected-error @+1 {{'llvm.target' is written as <"name", types, numbers>, got <"a", 5, i32>}}
"t.op"() : () -> !llvm.target<"a", 5, i32>

// -----

// expected-error @+1 {{'llvm.token' is written as a bare word, got <1>}}
"t.op"() : () -> !llvm.token<1>

// -----

// expected-error @+1 {{alias '#none' is not defined}}
"t.op"() {a = #llvm.tbaa_type_desc<id = "char", members = {<#none, 0>}>} : () -> ()

// -----

// expected-error @+1 {{expected one of disableNonforced, vectorize,}}
"t.op"() {a = #llvm.loop_annotation<unrol = <disable = true>>} : () -> ()
