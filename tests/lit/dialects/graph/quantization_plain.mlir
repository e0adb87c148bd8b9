// RUN: mlc-opt %s --fuse --lower-to-tensor --deduplicate-kernels --check-each | filecheck %s

// A scale of 1 divides nothing, and a zero point of 0 takes nothing away; both stand in the kernel. So do others, but for
// those of layers that differ in them alone and share a kernel.

// CHECK-LABEL: func.func private @quantize_dequantize(%x: tensor<9xf32>, %t: tensor<f32>)
// CHECK-NOT:      arith.divf
// CHECK:          arith.constant 0.000000e+00 : f32
// CHECK:          arith.constant 2.550000e+02 : f32
// CHECK-NOT:      arith.subi
// CHECK:          tensor.yield
// CHECK-LABEL: func.func private @dequantize_relu(%x: tensor<7xi8>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<i32>)
// CHECK-NOT:   func.func private
// CHECK-LABEL: func.func @layers
func.func @lowered_plain(%x: tensor<9xf32>, %t: tensor<f32>) -> tensor<9xf32> {
  %s = graph.constant dense<1.0> : tensor<f32>
  %z = graph.constant dense<0> : tensor<ui8>
  %q = graph.quantize %x, %s, %z : tensor<9xf32>, tensor<f32>, tensor<ui8> -> tensor<9xui8>
  %y = graph.dequantize %q, %t, %z : tensor<9xui8>, tensor<f32>, tensor<ui8> -> tensor<9xf32>
  return %y : tensor<9xf32>
}

func.func @layers(%x: tensor<7xi8>, %y: tensor<7xi8>) -> (tensor<7xf32>, tensor<7xf32>) {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<i8>
  %0 = graph.dequantize %x, %s, %z : tensor<7xi8>, tensor<f32>, tensor<i8> -> tensor<7xf32>
  %1 = graph.relu %0 : tensor<7xf32>
  %t = graph.constant dense<0.25> : tensor<f32>
  %u = graph.constant dense<-7> : tensor<i8>
  %2 = graph.dequantize %y, %t, %u : tensor<7xi8>, tensor<f32>, tensor<i8> -> tensor<7xf32>
  %3 = graph.relu %2 : tensor<7xf32>
  return %1, %3 : tensor<7xf32>, tensor<7xf32>
}
