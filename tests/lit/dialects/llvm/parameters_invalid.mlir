// RUN: mlc-opt %s --verify-diagnostics --split-input-file

// expected-error @+1 {{func.func: 'llvm.noalias' needs a pointer, got f32}}
func.func @pointer(%a: f32 {llvm.noalias}) {
  return
}

// -----

// expected-error @+1 {{func.func: 'llvm.noalias' has no value, got 3 : i64}}
func.func @unit(%a: !llvm.ptr {llvm.noalias = 3}) {
  return
}

// -----

// expected-error @+1 {{func.func: 'llvm.align' is an integer, got "foo"}}
func.func @integer(%a: !llvm.ptr {llvm.align = "foo"}) {
  return
}

// -----

// expected-error @+1 {{func.func: 'llvm.byval' is a type, got 1 : i64}}
func.func @type(%a: !llvm.ptr {llvm.byval = 1}) {
  return
}

// -----

// expected-error @+1 {{func.func: 'llvm.signext' needs an integer, got f32}}
func.func @integers(%a: f32 {llvm.signext}) {
  return
}

// -----

// expected-error @+1 {{func.func: 'llvm.readonly' is an attribute of arguments, not of results}}
func.func @result(%a: !llvm.ptr) -> (!llvm.ptr {llvm.readonly}) {
  return %a : !llvm.ptr
}

// -----

// expected-error @+1 {{func.func: attributes of 1 arguments, there are 0}}
"func.func"() <{sym_name = "count", function_type = () -> (), arg_attrs = [{llvm.noalias}]}> ({
  func.return
}) : () -> ()
