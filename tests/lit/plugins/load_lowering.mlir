// RUN: mlc-opt --load-pass %S/Inputs/base2_softmax.py %s --lower-to-tensor --check-each | filecheck %s
// RUN: mlc-opt %s --lower-to-tensor | filecheck %s --check-prefix=OWN

// A pattern of a higher benefit comes before that of mlc, which takes what it leaves. In a fusion, too.
// CHECK-LABEL: @softmax(
// CHECK: tensor.reduce max
// CHECK: math.exp2
// CHECK: arith.divf
// CHECK-NOT: arith.mulf
// CHECK-LABEL: @softmax_1(
// CHECK: tensor.reduce maxnum
// CHECK: math.exp {{.*}}
// CHECK-LABEL: @fused(
// CHECK: math.exp2
// CHECK: arith.divf
// OWN-NOT: math.exp2
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.softmax %x axis 1 : tensor<4x8xf32>
  %1 = graph.softmax %x axis 0 : tensor<4x8xf32>
  %2 = graph.fusion "fused" (%a = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %3 = graph.softmax %a axis 1 : tensor<4x8xf32>
    %4 = graph.relu %3 : tensor<4x8xf32>
    graph.yield %4 : tensor<4x8xf32>
  }
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
