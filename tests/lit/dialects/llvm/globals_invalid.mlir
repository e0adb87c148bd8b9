// RUN: mlc-opt %s --verify-diagnostics --split-input-file

// expected-error @+1 {{llvm.mlir.global: the alignment is a power of 2, got 63}}
llvm.mlir.global private @g(42 : i64) {alignment = 63} : i64

// -----

// expected-error @+1 {{llvm.mlir.global: the address space is an integer from 0, got -1 : i32}}
"llvm.mlir.global"() <{sym_name = "g", global_type = i64, addr_space = -1 : i32, linkage = #llvm.linkage<private>}> ({}) : () -> ()

// -----

func.func @f() {
  // expected-error @+1 {{llvm.mlir.global: stands in 'func.func', which has no symbols; it belongs into a module}}
  llvm.mlir.global internal @g(42) : i32
  return
}

// -----

// expected-error @+1 {{llvm.mlir.global: the string is an !llvm.array<6 x i8>, got !llvm.array<42 x i8>}}
llvm.mlir.global internal constant @g("foobar") : !llvm.array<42 x i8>

// -----

// expected-error @+1 {{llvm.mlir.global: a value of type !llvm.target<"a"> is made by llvm.mlir.zero in the region}}
llvm.mlir.global @g(0 : i64) : !llvm.target<"a">

// -----

// expected-error @+1 {{llvm.mlir.global: a value of type !llvm.label cannot be stored}}
llvm.mlir.global @g() : !llvm.label

// -----

// expected-error @+1 {{llvm.mlir.global: the region returns i64, the type is i32}}
llvm.mlir.global internal @g() : i32 {
  %c = llvm.mlir.constant(42 : i64) : i64
  llvm.return %c : i64
}

// -----

// expected-error @+1 {{llvm.mlir.global: has a value and a region; only one of both may say what it holds}}
llvm.mlir.global internal @g(43 : i64) : i64 {
  %c = llvm.mlir.constant(42 : i64) : i64
  llvm.return %c : i64
}

// -----

// expected-error @+1 {{llvm.mlir.global: 'llvm.alloca' has effects; the region may only make a value}}
llvm.mlir.global internal @g() : !llvm.ptr {
  %n = llvm.mlir.constant(1 : i64) : i64
  %p = llvm.alloca %n x i8 : (i64) -> !llvm.ptr
  llvm.return %p : !llvm.ptr
}

// -----

// expected-error @+1 {{llvm.mlir.global: with 'common' linkage the value is zero, got 42 : i32}}
llvm.mlir.global common @g(42 : i32) : i32

// -----

// expected-error @+1 {{llvm.mlir.global: with 'common' linkage the value is zero, got dense<[0, 1]> : vector<2xi32>}}
llvm.mlir.global common @g(dense<[0, 1]> : vector<2xi32>) : !llvm.array<2 x i32>

// -----

// expected-error @+1 {{llvm.mlir.global: with 'appending' linkage it is an array, got i32}}
llvm.mlir.global appending @g() : i32

// -----

llvm.func @f() {
  // expected-error @+1 {{llvm.mlir.addressof: '@g' is neither an llvm.mlir.global nor an llvm.func}}
  %p = llvm.mlir.addressof @g : !llvm.ptr
  llvm.return
}

// -----

llvm.mlir.global internal @g(32 : i64) {addr_space = 3 : i32} : i64
llvm.func @f() {
  // expected-error @+1 {{llvm.mlir.addressof: '@g' is in address space 3, the pointer is for 4}}
  %p = llvm.mlir.addressof @g : !llvm.ptr<4>
  llvm.return
}

// -----

// expected-error @+1 {{llvm.func: it has no body; required is linkage external or extern_weak, got 'internal'}}
llvm.func internal @f()

// -----

// expected-error @+1 {{llvm.func: a function has no 'common' linkage, only a global may have it}}
llvm.func common @f() {
  llvm.return
}

// -----

// expected-error @+1 {{llvm.func: 'no_inline' and 'always_inline' contradict each other}}
llvm.func @f() attributes {always_inline, no_inline} {
  llvm.return
}

// -----

// expected-error @+1 {{llvm.func: with 'optimize_none' it also needs 'no_inline'}}
llvm.func @f() attributes {optimize_none} {
  llvm.return
}

// -----

// expected-error @+1 {{func.func: 'nvvm.kernel' is an attribute of llvm.func}}
func.func @f() attributes {nvvm.kernel} {
  return
}

// -----

// expected-error @+1 {{llvm.func: 'nvvm.grid_constant' is an attribute of arguments of kernels}}
llvm.func @f(%p: !llvm.ptr {llvm.byval = i32, nvvm.grid_constant}) {
  llvm.return
}

// -----

// expected-error @+1 {{llvm.func: 'nvvm.grid_constant' needs 'llvm.byval' beside it}}
llvm.func @f(%p: !llvm.ptr {nvvm.grid_constant}) attributes {nvvm.kernel} {
  llvm.return
}

// -----

// expected-error @+1 {{llvm.func: 'nvvm.grid_constant' has no value, got true}}
llvm.func @f(%p: !llvm.ptr {llvm.byval = i32, nvvm.grid_constant = true}) attributes {nvvm.kernel} {
  llvm.return
}
