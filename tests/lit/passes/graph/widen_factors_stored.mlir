// RUN: mlc-opt %s -O3 --emit=mlir:tensor --target=haswell | filecheck %s
// RUN: mlc-opt %s -O3 --emit=mlir:tensor --target=haswell --precision=keep | filecheck %s --check-prefix=KEEP

// The kernel that quantises stores 16 bits, which a product reads in pairs and an addition as the bytes that they are.
// CHECK:      func.func private @quantize_{{.*}}-> tensor<{{.*}}xi16>
// CHECK:      func.func private @cast_dequantize_linear_{{.*}}xi16>, {{.*}}xi16>, {{.*}}dot(k, 2)
// CHECK:        arith.trunci %{{.*}} : i16 to i8
// KEEP:       func.func private @quantize(
// KEEP:       dot(k, 4)
// KEEP-NOT:   i16
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<127> : tensor<64x64xi8>
  %q = graph.quantize %x, %s, %z : tensor<64x64xf32>, tensor<f32>, tensor<ui8> -> tensor<64x64xui8>
  %f = graph.dequantize %q, %s, %z : tensor<64x64xui8>, tensor<f32>, tensor<ui8> -> tensor<64x64xf32>
  %w = graph.dequantize %v, %s, %n : tensor<64x64xi8>, tensor<f32>, tensor<i8> -> tensor<64x64xf32>
  %y = graph.matmul %f, %w : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %sum = graph.add %y, %f : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %sum : tensor<64x64xf32>
}
