// `mlc-opt --xdsl` takes xdsl-opt's options, passes and targets, and reads with mlc's parser what xDSL takes.

// RUN: mlc-opt --xdsl -p canonicalize,convert-arith-to-riscv %s | filecheck %s
// RUN: mlc-opt --xdsl --split-input-file --parsing-diagnostics %S/Inputs/xdsl_invalid.mlir | filecheck %S/Inputs/xdsl_invalid.mlir
// RUN: not mlc-opt --xdsl --no-implicit-module %s 2>&1 | filecheck %s --check-prefix=NO-MODULE
// RUN: mlc-opt --xdsl --print-op-generic --print-debuginfo %s | filecheck %s --check-prefix=GENERIC

// CHECK: rv32.li 5
// GENERIC: value = 2 : i32}> : () -> i32 loc(unknown)
// NO-MODULE: builtin.module operation expected
%a = arith.constant 2 : i32
%b = arith.constant 3 : i32
%c = arith.addi %a, %b : i32
"test.op"(%c) : (i32) -> ()

// A resource may name nothing, and a use may stand in front of its definition.
// CHECK: dense_resource<nothing>
%w = "test.op"() {value = dense_resource<nothing> : tensor<4xf32>} : () -> tensor<4xf32>
func.func @f() {
  "test.op"(%late) : (i32) -> ()
  %late = "test.op"() : () -> i32
  func.return
}
