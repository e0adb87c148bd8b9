// REQUIRES: torch
// RUN: mlc-opt %s --convert-aten-to-graph | filecheck %s

// What holds is gone; tokens that order assertions as well.

// CHECK-LABEL: func.func @holds
// CHECK-NEXT: %y = graph.cast %x
// CHECK-NEXT: return %y
func.func @holds(%x: tensor<4xf16>) -> tensor<4xf32> {
  aten._assert_tensor_metadata %x {dtype = f16, size = array<i64: 4>, device = "cpu", layout = "torch.strided"} : (tensor<4xf16>) -> ()
  aten._assert_scalar {self = true, assert_msg = "rows are even"} : () -> ()
  aten.sym_constrain_range {size = 2 : i64, min = 2 : i64, max = 2 : i64} : () -> ()
  %true = graph.constant dense<true> : tensor<i1>
  aten._assert_async.msg %true {assert_msg = "never"} : (tensor<i1>) -> ()
  %t = aten._make_dep_token : () -> tensor<0xf32>
  %u = aten._functional_assert_scalar %t {self = true, assert_msg = "rows are even"} : (tensor<0xf32>) -> tensor<0xf32>
  %v = aten._functional_sym_constrain_range %u {size = 2 : i64, min = 2 : i64, max = 2 : i64} : (tensor<0xf32>) -> tensor<0xf32>
  %w = aten._functional_assert_async.msg %true, %v {assert_msg = "never"} : (tensor<i1>, tensor<0xf32>) -> tensor<0xf32>
  %y = aten._to_copy %x {dtype = f32} : (tensor<4xf16>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
