// RUN: mlc-opt %s --deduplicate-kernels | filecheck %s
// RUN: mlc-opt %s --deduplicate-kernels --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// CHECK: func.func private @double(
// CHECK-NOT: @double_again
// CHECK: func.func private @triple(
// CHECK: func.func @main
// CHECK: call @double(
// CHECK: call @double(
// CHECK: call @triple(
// REMARK: remark: 'double_again' is the same as 'double'
func.func private @double(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.map %x[n], %x[n] over (n: 4) : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tensor.yield %s : f32
  }
  return %0 : tensor<4xf32>
}
func.func private @double_again(%other_name: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.map %other_name[n], %other_name[n] over (n: 4) : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%p: f32, %q: f32):
    %sum = arith.addf %p, %q : f32
    tensor.yield %sum : f32
  }
  return %0 : tensor<4xf32>
}
func.func private @triple(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %three = arith.constant 3.0 : f32
    %s = arith.mulf %a, %three : f32
    tensor.yield %s : f32
  }
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @double(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @double_again(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = func.call @triple(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A kernel that something else than a call refers to stays.
// CHECK: func.func private @named(
func.func private @named(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.map %x[n], %x[n] over (n: 4) : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tensor.yield %s : f32
  }
  return %0 : tensor<4xf32>
}
func.func private @table(%x: tensor<4xf32>) attributes {my.kernels = [@named]} {
  return
}
