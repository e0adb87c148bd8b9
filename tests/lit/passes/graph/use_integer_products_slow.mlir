// RUN: mlc-opt %s --use-integer-products --target=cortex-a72 --remarks 2>%t | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file %t
// RUN: mlc-opt %s --use-integer-products --target=neoverse-n1 | filecheck %s --check-prefix=DOTS
// RUN: mlc-opt %s --use-integer-products=precision=keep --target=cortex-a72 | filecheck %s --check-prefix=DOTS
// RUN: not mlc-opt %s --use-integer-products=precision=f8 2>&1 | filecheck %s --check-prefix=WRONG
// WRONG: error: use-integer-products: found precision 'f8'; required: f32, bf16 or keep

// A Cortex-A72 has no dot products of 8 bits: what was a product of f32 stays one, and one of i32 that is asked for is
// one of bytes all the same.
// REMARK: remark: not computed in integers: estimated {{[0-9,]+}} cycles in integers, {{[0-9,]+}} cycles in f32
// REMARK: remark: computed in integers
// REMARK-NOT: estimated
// CHECK:     graph.matmul {{.*}} -> tensor<4x3xf32>
// CHECK:     graph.matmul {{.*}} : tensor<4x8xui8>, tensor<8x3xi8> -> tensor<4x3xi32>
// DOTS-COUNT-2: graph.matmul {{.*}} : tensor<4x8x{{u?}}i8>, tensor<8x3xi8> -> tensor<4x3xi32>
func.func @main(%q: tensor<4x8xui8>, %u: tensor<4x8xui8>) -> (tensor<4x3xf32>, tensor<4x3xi32>) {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<7> : tensor<8x3xi8>
  %x = graph.dequantize %q, %s, %z : tensor<4x8xui8>, tensor<f32>, tensor<ui8> -> tensor<4x8xf32>
  %w = graph.dequantize %v, %s, %n : tensor<8x3xi8>, tensor<f32>, tensor<i8> -> tensor<8x3xf32>
  %y = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  %a = graph.cast %u : tensor<4x8xui8> -> tensor<4x8xi32>
  %b = graph.cast %v : tensor<8x3xi8> -> tensor<8x3xi32>
  %p = graph.matmul %a, %b : tensor<4x8xi32>, tensor<8x3xi32> -> tensor<4x3xi32>
  return %y, %p : tensor<4x3xf32>, tensor<4x3xi32>
}
