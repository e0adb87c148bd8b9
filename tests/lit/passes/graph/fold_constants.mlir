// RUN: mlc-opt --fold-constants %s | filecheck %s

// CHECK-LABEL: @chain
func.func @chain(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // CHECK-NEXT: %[[W:.*]] = graph.constant dense_resource<w.mul> : tensor<2x2xf32>
  // CHECK-NEXT: %[[Y:.*]] = graph.add %x, %[[W]]
  // CHECK-NEXT: return %[[Y]]
  %w = graph.constant dense_resource<w> : tensor<2x2xf32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.transpose %w [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  %1 = graph.mul %0, %two : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf32>
  %2 = graph.add %x, %1 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// A constant that others use stays; a single number is spelled out.
// CHECK-LABEL: @shared
func.func @shared() -> (tensor<2x2xf32>, tensor<f32>, tensor<i1>) {
  // CHECK-NEXT: %w = graph.constant dense_resource<w> : tensor<2x2xf32>
  %w = graph.constant dense_resource<w> : tensor<2x2xf32>
  // CHECK-NEXT: graph.constant dense<6.000000e+00> : tensor<f32>
  %0 = graph.reduce sum %w axes [0, 1] : tensor<2x2xf32> -> tensor<f32>
  // CHECK-NEXT: graph.constant dense<true> : tensor<i1>
  %1 = graph.compare gt, %0, %0 : tensor<f32>, tensor<f32> -> tensor<i1>
  %2 = graph.not %1 : tensor<i1>
  return %w, %0, %2 : tensor<2x2xf32>, tensor<f32>, tensor<i1>
}

// The result would be a thousand times as large as what it is computed from.
// CHECK-LABEL: @grows
func.func @grows() -> tensor<2000x2xf32> {
  %w = graph.constant dense_resource<w> : tensor<2x2xf32>
  %0 = graph.reshape %w : tensor<2x2xf32> -> tensor<4xf32>
  %1 = graph.slice %0 starts [0] ends [2] strides [1] : tensor<4xf32> -> tensor<2xf32>
  // CHECK: graph.pad
  %2 = graph.pad %1 low [0] high [3998] with 0.0 : f32 : tensor<2xf32> -> tensor<4000xf32>
  // CHECK: graph.reshape
  %3 = graph.reshape %2 : tensor<4000xf32> -> tensor<2000x2xf32>
  return %3 : tensor<2000x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x04000000000000000000803F0000004000004040"
    }
  }
#-}
