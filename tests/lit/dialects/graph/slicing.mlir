// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @slicing
func.func @slicing(%a: tensor<1x2xf32>, %b: tensor<1x3xf32>, %x: tensor<4x8xi32>) {
  // CHECK: graph.concat %a, %b axis 1 : tensor<1x2xf32>, tensor<1x3xf32> -> tensor<1x5xf32>
  %0 = graph.concat %a, %b axis 1 : tensor<1x2xf32>, tensor<1x3xf32> -> tensor<1x5xf32>
  // CHECK: graph.slice %x starts [0, 2] ends [4, 8] strides [1, 4] : tensor<4x8xi32> -> tensor<4x2xi32>
  %1 = graph.slice %x starts [0, 2] ends [4, 8] strides [1, 4] : tensor<4x8xi32> -> tensor<4x2xi32>
  // CHECK: graph.pad %x low [0, 1] high [0, 2] with 7 : i32 : tensor<4x8xi32> -> tensor<4x11xi32>
  %2 = graph.pad %x low [0, 1] high [0, 2] with 7 : i32 : tensor<4x8xi32> -> tensor<4x11xi32>
  return
}

// CHECK-LABEL: @nothing
func.func @nothing(%x: tensor<4x8xf32>) {
  // CHECK: graph.slice %x starts [4, 2] ends [4, 2] strides [1, 3] : tensor<4x8xf32> -> tensor<0x0xf32>
  %0 = graph.slice %x starts [4, 2] ends [4, 2] strides [1, 3] : tensor<4x8xf32> -> tensor<0x0xf32>
  return
}
