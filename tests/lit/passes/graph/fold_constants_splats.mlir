// RUN: mlc-opt --fold-constants %s | filecheck %s

// Equal elements stay one number; zeros of either sign are two.
// CHECK-LABEL: @equal
func.func @equal() -> (tensor<300xf32>, tensor<2xf32>) {
  // CHECK-NEXT: graph.constant dense<4.000000e+00> : tensor<300xf32>
  %a = graph.constant dense<2.0> : tensor<300xf32>
  %0 = graph.add %a, %a : tensor<300xf32>, tensor<300xf32> -> tensor<300xf32>
  // CHECK-NEXT: graph.constant dense_resource<{{.*}}> : tensor<2xf32>
  %b = graph.constant dense<[0.0, -0.0]> : tensor<2xf32>
  %1 = graph.abs %b : tensor<2xf32>
  %2 = graph.neg %1 : tensor<2xf32>
  %3 = graph.mul %b, %2 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  // CHECK-NEXT: return
  return %0, %3 : tensor<300xf32>, tensor<2xf32>
}

// Many of them are a number that is broadcast.
// CHECK-LABEL: @many
func.func @many() -> tensor<350x400xf64> {
  // CHECK-NEXT: %[[ONE:.*]] = graph.constant dense<3.000000e+00> : tensor<f64>
  // CHECK-NEXT: %[[ALL:.*]] = graph.broadcast %[[ONE]] : tensor<f64> -> tensor<350x400xf64>
  // CHECK-NEXT: return %[[ALL]]
  %a = graph.constant dense<9.0> : tensor<f64>
  %0 = graph.broadcast %a : tensor<f64> -> tensor<400x350xf64>
  %1 = graph.sqrt %0 : tensor<400x350xf64>
  %2 = graph.transpose %1 [1, 0] : tensor<400x350xf64> -> tensor<350x400xf64>
  return %2 : tensor<350x400xf64>
}

// What is not equal any more would be stored, and is larger than the numbers behind it, however many steps lie between.
// CHECK-LABEL: @grows_by_steps
func.func @grows_by_steps() -> tensor<64x64xf32> {
  // CHECK: graph.constant dense_resource<{{.*}}> : tensor<1024xf32>
  // CHECK: graph.concat
  // CHECK: graph.concat
  %w = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = graph.pad %w low [0] high [1020] with 0.0 : f32 : tensor<4xf32> -> tensor<1024xf32>
  %1 = graph.concat %0, %0 axis 0 : tensor<1024xf32>, tensor<1024xf32> -> tensor<2048xf32>
  %2 = graph.concat %1, %1 axis 0 : tensor<2048xf32>, tensor<2048xf32> -> tensor<4096xf32>
  %3 = graph.reshape %2 : tensor<4096xf32> -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// Nor is it worth computing with a number a million times.
// CHECK-LABEL: @expanded
func.func @expanded() -> tensor<f32> {
  // CHECK: graph.reduce sum
  %a = graph.constant dense<9.0> : tensor<f32>
  %0 = graph.broadcast %a : tensor<f32> -> tensor<4000x2000xf32>
  %1 = graph.reduce sum %0 axes [0, 1] : tensor<4000x2000xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// One operand of equal elements makes no such result.
// CHECK-LABEL: @of_both_kinds
func.func @of_both_kinds() -> tensor<2x2xf32> {
  // CHECK-NEXT: graph.constant dense_resource<{{.*}}> : tensor<2x2xf32>
  %a = graph.constant dense<2.0> : tensor<2x2xf32>
  %b = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = graph.mul %a, %b : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
