// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s

// CHECK: dense_resource<"0.weight"> : tensor<2xf32>
%w = arith.constant dense_resource<"0.weight"> : tensor<2xf32>
// CHECK: {-#
// CHECK-NEXT: dialect_resources: {
// CHECK-NEXT: builtin: {
// CHECK-NEXT: "0.weight": "0x040000000000803F00000040"
{-#
  dialect_resources: {
    builtin: {
      "0.weight": "0x040000000000803F00000040"
    }
  }
#-}
