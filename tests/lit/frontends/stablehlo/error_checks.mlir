// RUN: mlc-opt %s --convert-stablehlo-to-graph --canonicalize --dce 2>%t | filecheck %s
// RUN: filecheck %s --input-file %t --check-prefix=WARNING

// WARNING: error_checks.mlir:11:1: warning: error checks that call back into Python are left out: where one fails, native code goes on with the values that were checked, as with `throw=False`
// WARNING: error_checks.mlir:45:1: warning: error checks
// WARNING: error_checks.mlir:62:1: warning: error checks

// CHECK-LABEL: func.func @checked
// CHECK-NEXT: %0 = graph.neg %x
// CHECK-NEXT: func.return %0
func.func @checked(%x: tensor<4xf32>, %index: tensor<i32>, %wrong: tensor<i32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%wrong) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %1 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%index) : (tensor<i32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%1, %index) : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  %3 = stablehlo.negate %0 : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// Branches without callbacks stay what they are.

// CHECK-LABEL: func.func @kept
// CHECK: graph.if
func.func @kept(%x: tensor<4xf32>, %wrong: tensor<i32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%wrong) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %1 = stablehlo.exponential %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Of three branches one raises an error: 1 means 0, what is no number of a branch means the last.

// CHECK-LABEL: func.func @of_three
// CHECK: %[[FIRST:.*]] = graph.compare eq, %i
// CHECK: graph.if %[[FIRST]]
// CHECK: %[[SECOND:.*]] = graph.compare eq, %i
// CHECK: graph.if %[[SECOND]]
// CHECK: graph.neg
func.func @of_three(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.exponential %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%one) : (tensor<i32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }, {
    %3 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %3 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @of_if
// CHECK-NEXT: func.return %x
func.func @of_if(%x: tensor<4xf32>, %right: tensor<i1>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%right) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %1 = stablehlo.custom_call @xla_python_cpu_callback(%two) : (tensor<i32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
