// RUN: mlc-opt %s --convert-tensor-to-loop | filecheck %s

// Outputs keep the mark that their results had.
// CHECK-LABEL: func.func @main(%a: memref<4xi8> {mlc.unsigned}, %out0: memref<i8> {mlc.output, mlc.unsigned}, %out1: memref<4xi8> {mlc.output})
// CHECK: %[[LEAST:.*]] = arith.constant 0 : i8
// CHECK: loop.for serial "k" {{.*}} iter_args({{.*}} = %[[LEAST]])
// CHECK: arith.maxui
func.func @main(%a: tensor<4xi8> {mlc.unsigned}) -> (tensor<i8> {mlc.unsigned}, tensor<4xi8>) {
  %max = tensor.reduce maxui %a[k] over () reduce (k: 4) : tensor<4xi8> -> tensor<i8>
  return %max, %a : tensor<i8>, tensor<4xi8>
}
