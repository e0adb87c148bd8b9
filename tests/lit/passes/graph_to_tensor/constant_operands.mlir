// RUN: mlc-opt %s --convert-graph-to-tensor | filecheck %s

// A constant that repeats one number is that number; zeros of two signs are two numbers, which are printed as such.
// CHECK-LABEL: func.func private @mul
// CHECK:         arith.constant 5.000000e-01 : f32
// CHECK-LABEL: func.func @same
func.func @same(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = graph.constant dense<0.5> : tensor<2xf32>
  %0 = graph.mul %x, %c : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func private @div
// CHECK-SAME:    (%x: tensor<2xf32>, %c: tensor<2xf32>)
// CHECK-LABEL: func.func @signs
// CHECK:         arith.constant dense<"0x0000000000000080"> : tensor<2xf32>
func.func @signs(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = graph.constant dense<[0.0, -0.0]> : tensor<2xf32>
  %0 = graph.div %x, %c : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
