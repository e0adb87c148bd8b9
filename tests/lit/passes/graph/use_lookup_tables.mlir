// RUN: mlc-opt %s --split-input-file --use-lookup-tables --target=icelake-server --check-each | filecheck %s
// RUN: mlc-opt %s --split-input-file --use-lookup-tables --target=haswell --check-each | filecheck %s --check-prefix=SLOW
// RUN: mlc-opt %s --split-input-file --use-lookup-tables --target=icelake-server --remarks 2>&1 >%t | filecheck %s --check-prefix=WHY

// x * sigmoid(x), as quantisers write it: of three tables the last is needed alone.

// CHECK-LABEL: @silu
// CHECK:         %[[Y:.*]] = graph.lookup %q in dense<"0x8383{{[0-9A-F]*}}"> : tensor<256xui8> : tensor<3x5xui8> -> tensor<3x5xui8>
// CHECK-NEXT:    func.return %[[Y]]
// SLOW-LABEL: @silu
// SLOW:          graph.lookup
// SLOW-NOT:      graph.sigmoid
// WHY: remark: a function of a number of 8 bits became a table of its results
func.func @silu(%q: tensor<3x5xui8>) -> tensor<3x5xui8> {
  %s = graph.constant dense<0.05> : tensor<f32>
  %t = graph.constant dense<0.004> : tensor<f32>
  %z = graph.constant dense<131> : tensor<ui8>
  %n = graph.constant dense<0> : tensor<ui8>
  %x = graph.dequantize %q, %s, %z : tensor<3x5xui8>, tensor<f32>, tensor<ui8> -> tensor<3x5xf32>
  %0 = graph.sigmoid %x : tensor<3x5xf32>
  %1 = graph.quantize %0, %t, %n : tensor<3x5xf32>, tensor<f32>, tensor<ui8> -> tensor<3x5xui8>
  %2 = graph.dequantize %1, %t, %n : tensor<3x5xui8>, tensor<f32>, tensor<ui8> -> tensor<3x5xf32>
  %3 = graph.mul %x, %2 : tensor<3x5xf32>, tensor<3x5xf32> -> tensor<3x5xf32>
  %4 = graph.quantize %3, %s, %z : tensor<3x5xf32>, tensor<f32>, tensor<ui8> -> tensor<3x5xui8>
  return %4 : tensor<3x5xui8>
}

// -----

// Another scale alone: a table where looking up takes few instructions. What stands in between is still read.

// CHECK-LABEL: @scale
// CHECK:         graph.dequantize
// CHECK:         %[[Y:.*]] = graph.lookup %q in {{.*}} : tensor<256xi8> : tensor<7xi8> -> tensor<7xi8>
// CHECK:         func.return %[[Y]], %x
// SLOW-LABEL: @scale
// SLOW-NOT:      graph.lookup
func.func @scale(%q: tensor<7xi8>) -> (tensor<7xi8>, tensor<7xf32>) {
  %s = graph.constant dense<0.05> : tensor<f32>
  %t = graph.constant dense<0.06> : tensor<f32>
  %z = graph.constant dense<-3> : tensor<i8>
  %x = graph.dequantize %q, %s, %z : tensor<7xi8>, tensor<f32>, tensor<i8> -> tensor<7xf32>
  %y = graph.quantize %x, %t, %z : tensor<7xf32>, tensor<f32>, tensor<i8> -> tensor<7xi8>
  return %y, %x : tensor<7xi8>, tensor<7xf32>
}

// -----

// Not a function of one number: two tensors, scales that differ along a dim, a broadcast, a scale that is not known, a
// softmax.

// CHECK-LABEL: @others
// CHECK-NOT:     graph.lookup
func.func @others(%q: tensor<2x4xui8>, %r: tensor<2x4xui8>, %v: tensor<4xui8>, %u: tensor<f32>)
    -> (tensor<2x4xui8>, tensor<2x4xui8>, tensor<2x4xui8>, tensor<2x4xui8>, tensor<2x4xui8>) {
  %s = graph.constant dense<0.05> : tensor<f32>
  %many = graph.constant dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>
  %ones = graph.constant dense<1.0> : tensor<2x4xf32>
  %z = graph.constant dense<3> : tensor<ui8>
  %a = graph.dequantize %q, %s, %z : tensor<2x4xui8>, tensor<f32>, tensor<ui8> -> tensor<2x4xf32>
  %b = graph.dequantize %r, %s, %z : tensor<2x4xui8>, tensor<f32>, tensor<ui8> -> tensor<2x4xf32>
  %0 = graph.mul %a, %b : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  %1 = graph.quantize %0, %s, %z : tensor<2x4xf32>, tensor<f32>, tensor<ui8> -> tensor<2x4xui8>
  %c = graph.dequantize %q, %many, %z : tensor<2x4xui8>, tensor<4xf32>, tensor<ui8> -> tensor<2x4xf32>
  %2 = graph.exp %c : tensor<2x4xf32>
  %3 = graph.quantize %2, %s, %z : tensor<2x4xf32>, tensor<f32>, tensor<ui8> -> tensor<2x4xui8>
  %d = graph.dequantize %v, %s, %z : tensor<4xui8>, tensor<f32>, tensor<ui8> -> tensor<4xf32>
  %4 = graph.add %d, %ones : tensor<4xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  %5 = graph.quantize %4, %s, %z : tensor<2x4xf32>, tensor<f32>, tensor<ui8> -> tensor<2x4xui8>
  %e = graph.dequantize %q, %u, %z : tensor<2x4xui8>, tensor<f32>, tensor<ui8> -> tensor<2x4xf32>
  %6 = graph.exp %e : tensor<2x4xf32>
  %7 = graph.quantize %6, %s, %z : tensor<2x4xf32>, tensor<f32>, tensor<ui8> -> tensor<2x4xui8>
  %8 = graph.softmax %a axis 1 : tensor<2x4xf32>
  %9 = graph.quantize %8, %s, %z : tensor<2x4xf32>, tensor<f32>, tensor<ui8> -> tensor<2x4xui8>
  return %1, %3, %5, %7, %9
      : tensor<2x4xui8>, tensor<2x4xui8>, tensor<2x4xui8>, tensor<2x4xui8>, tensor<2x4xui8>
}
