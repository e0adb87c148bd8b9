// RUN: mlc-opt --convert-tensor-to-loop --check-each %s | filecheck %s

func.func private @exp(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.map %a[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%x: f32):
    %1 = math.exp %x : f32
    tensor.yield %1 : f32
  }
  return %0 : tensor<4xf32>
}

// Both sides compute the result where it is wanted; what a side only hands on is copied there.
// CHECK-LABEL: @choice
func.func @choice(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[C:.*]] = loop.load %c[] : memref<i1>
  // CHECK-NEXT: scf.if %[[C]] {
  // CHECK-NEXT:   func.call @exp(%x, %out)
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   loop.for
  // CHECK-NEXT:     loop.load %x
  // CHECK-NEXT:     loop.store %{{.*}}, %out
  %y = tensor.if %c using (%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %0 = func.call @exp(%a) : (tensor<4xf32>) -> tensor<4xf32>
    tensor.yield %0 : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    tensor.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @loop
func.func @loop(%go: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK:      %[[R:.*]], %{{.*}}, %{{.*}}, %[[Y:.*]], %{{.*}}, %{{.*}} = scf.while (%more = %go, {{.*}}, %s = %x, %[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
  // CHECK-NEXT:   %[[C:.*]] = loop.load %more[] : memref<i1>
  // CHECK-NEXT:   loop.store %[[C]], %[[FLAG:.*]][]
  // CHECK-NEXT:   %[[D:.*]] = loop.load %[[FLAG]][]
  // CHECK-NEXT:   scf.condition(%[[D]]) %more, {{.*}}, %s, %[[A]], %[[B]]
  // CHECK:      ^bb0(%{{.*}}: memref<i1>, %{{.*}}: memref<i1>, %{{.*}}: memref<i1>, %[[S:.*]]: memref<4xf32>, %[[NEXT:.*]]: memref<4xf32>, %[[OTHER:.*]]: memref<4xf32>):
  // CHECK:        func.call @exp(%[[S]], %[[NEXT]])
  // CHECK:        scf.yield {{.*}}, %[[NEXT]], %[[OTHER]], %[[NEXT]] :
  // CHECK:      loop.load %[[Y]]
  %c, %y = tensor.while carry (%go, %x) using () : (tensor<i1>, tensor<4xf32>), () -> (tensor<i1>, tensor<4xf32>) {
  ^bb0(%more: tensor<i1>, %s: tensor<4xf32>):
    tensor.yield %more : tensor<i1>
  } do {
  ^bb0(%more: tensor<i1>, %s: tensor<4xf32>):
    %stop = arith.constant dense<false> : tensor<i1>
    %0 = func.call @exp(%s) : (tensor<4xf32>) -> tensor<4xf32>
    tensor.yield %stop, %0 : tensor<i1>, tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
