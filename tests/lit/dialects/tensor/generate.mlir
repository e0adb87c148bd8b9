// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @known
// CHECK-NEXT: tensor.generate {
// CHECK-NEXT: ^bb0(%i: index, %j: index):
// CHECK: tensor.yield %{{.*}} : index
// CHECK-NEXT: } : tensor<4x8xindex>
func.func @known() -> tensor<4x8xindex> {
  %y = tensor.generate {
  ^bb0(%i: index, %j: index):
    %0 = arith.addi %i, %j : index
    tensor.yield %0 : index
  } : tensor<4x8xindex>
  return %y : tensor<4x8xindex>
}

// CHECK-LABEL: @open
// CHECK: tensor.generate %n {
func.func @open(%n: index, %z: f32) -> tensor<?x8xf32> {
  %y = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
