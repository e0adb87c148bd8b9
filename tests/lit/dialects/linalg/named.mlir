// Named ops in upstream's formats, which have the region that upstream gives them.
// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @named
func.func @named(%a: tensor<4x8xi8>, %b: tensor<8x6xf16>, %o: tensor<4x6xf32>, %c: tensor<4x6xi1>) -> tensor<4x6xf32> {
  // CHECK: linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<4x8xi8>, tensor<8x6xf16>) outs(%o : tensor<4x6xf32>) -> tensor<4x6xf32>
  // GENERIC: "linalg.matmul"
  // GENERIC: "arith.uitofp"
  // GENERIC-NEXT: "arith.extf"
  // GENERIC-NEXT: "arith.mulf"
  // GENERIC-NEXT: "arith.addf"
  %0 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<4x8xi8>, tensor<8x6xf16>) outs(%o : tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: linalg.elemwise_binary {fun = #linalg.binary_fn<max_signed>} ins(
  // GENERIC: "arith.maximumf"
  %1 = linalg.elemwise_binary {fun = #linalg.binary_fn<max_signed>} ins(%0, %o : tensor<4x6xf32>, tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(
  %2 = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%1 : tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: linalg.select ins(%c, {{.*}} : tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>)
  %3 = linalg.select ins(%c, %1, %2 : tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: linalg.softmax dimension(1) ins({{.*}} : tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) -> tensor<4x6xf32>
  %4 = linalg.softmax dimension(1) ins(%3 : tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %4 : tensor<4x6xf32>
}

// CHECK-LABEL: @custom
func.func @custom(%a: tensor<4x8xf32>, %o: tensor<4xf32>, %t: tensor<8x4xf32>, %z: tensor<4x8x3xf32>) -> tensor<4xf32> {
  // CHECK: linalg.map ins(%a, %a : tensor<4x8xf32>, tensor<4x8xf32>) outs(%a : tensor<4x8xf32>) ({{.*}}: f32, {{.*}}: f32) {
  // CHECK-NEXT: arith.addf
  %0 = linalg.map { arith.addf } ins(%a, %a : tensor<4x8xf32>, tensor<4x8xf32>) outs(%a : tensor<4x8xf32>)
  // CHECK: linalg.reduce ins({{.*}} : tensor<4x8xf32>) outs(%o : tensor<4xf32>) dimensions = [1] (%[[A:.*]]: f32, %[[B:.*]]: f32) {
  // CHECK-NEXT: arith.subf %[[B]], %[[A]] : f32
  %1 = linalg.reduce { arith.subf } ins(%0 : tensor<4x8xf32>) outs(%o : tensor<4xf32>) dimensions = [1]
  // CHECK: linalg.transpose ins({{.*}} : tensor<4x8xf32>) outs(%t : tensor<8x4xf32>) permutation = [1, 0]
  %2 = linalg.transpose ins(%0 : tensor<4x8xf32>) outs(%t : tensor<8x4xf32>) permutation = [1, 0]
  // CHECK: linalg.broadcast ins({{.*}} : tensor<4x8xf32>) outs(%z : tensor<4x8x3xf32>) dimensions = [2]
  %3 = linalg.broadcast ins(%0 : tensor<4x8xf32>) outs(%z : tensor<4x8x3xf32>) dimensions = [2]
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @buffers
func.func @buffers(%m: memref<4x8xf32>, %k: memref<8x4xf32>, %r: memref<4x4xf32>) {
  // CHECK: linalg.matmul ins(%m, %k : memref<4x8xf32>, memref<8x4xf32>) outs(%r : memref<4x4xf32>){{$}}
  linalg.matmul ins(%m, %k : memref<4x8xf32>, memref<8x4xf32>) outs(%r : memref<4x4xf32>)
  return
}
