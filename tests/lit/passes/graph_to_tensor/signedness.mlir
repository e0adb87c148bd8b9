// RUN: mlc-opt %s --convert-graph-to-tensor | filecheck %s

// Ops say what is unsigned, types no longer do; the function still tells its callers.
// CHECK-LABEL: func.func private @max(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8>
// CHECK: arith.maxui %{{.*}}, %{{.*}} : i8
// CHECK-LABEL: func.func private @not(
// CHECK: arith.constant -1 : i8
// CHECK-LABEL: func.func private @reduce(
// CHECK: tensor.reduce maxui %{{.*}} over () reduce (k: 4)
// CHECK-LABEL: func.func private @compare(
// CHECK: arith.cmpi ult
// CHECK-LABEL: func.func private @cast(
// CHECK: arith.uitofp %{{.*}} : i8 to f32
// CHECK-LABEL: func.func private @cast_1(
// CHECK: arith.fptoui %{{.*}} : f32 to i8
// CHECK-LABEL: func.func private @cast_2(
// CHECK: arith.extui %{{.*}} : i8 to i16
// CHECK-LABEL: func.func @main(%a: tensor<4xi8> {mlc.unsigned}, %b: tensor<4xi8> {mlc.unsigned}) -> (tensor<4xi8> {mlc.unsigned}, tensor<i8> {mlc.unsigned}, tensor<4xi1>, tensor<4xi8> {mlc.unsigned}, tensor<4xi16>) {
// CHECK: arith.constant dense<[-1, 1, -56, 0]> : tensor<4xi8>
func.func @main(%a: tensor<4xui8>, %b: tensor<4xui8>) -> (tensor<4xui8>, tensor<ui8>, tensor<4xi1>, tensor<4xui8>, tensor<4xi16>) {
  %c = graph.constant dense<[255, 1, 200, 0]> : tensor<4xui8>
  %max = graph.max %a, %b : tensor<4xui8>, tensor<4xui8> -> tensor<4xui8>
  %not = graph.not %max : tensor<4xui8>
  %most = graph.reduce max %not axes [0] : tensor<4xui8> -> tensor<ui8>
  %less = graph.compare lt, %a, %c : tensor<4xui8>, tensor<4xui8> -> tensor<4xi1>
  %float = graph.cast %b : tensor<4xui8> -> tensor<4xf32>
  %back = graph.cast %float : tensor<4xf32> -> tensor<4xui8>
  %wide = graph.cast %b : tensor<4xui8> -> tensor<4xi16>
  return %not, %most, %less, %back, %wide : tensor<4xui8>, tensor<ui8>, tensor<4xi1>, tensor<4xui8>, tensor<4xi16>
}

// Signless integers are signed, as before.
// CHECK-LABEL: func.func private @max_1(
// CHECK: arith.maxsi
// CHECK-LABEL: func.func @signed(%a: tensor<4xi8>) -> tensor<4xi8>
func.func @signed(%a: tensor<4xi8>) -> tensor<4xi8> {
  %max = graph.max %a, %a : tensor<4xi8>, tensor<4xi8> -> tensor<4xi8>
  return %max : tensor<4xi8>
}
