// RUN: mlc-opt %s --use-integer-products --remarks --target=haswell 2>&1 >%t | filecheck %s --check-prefix=REMARK
// RUN: filecheck %s --check-prefix=WORDS --input-file %t
// RUN: mlc-opt %s --use-integer-products --target=sapphirerapids | filecheck %s --check-prefix=VNNI
// RUN: mlc-opt %s --use-integer-products=precision=keep --target=haswell | filecheck %s --check-prefix=KEEP

// A Haswell takes words of bytes apart. An image of one channel has four in integers, which is four times the products;
// windows of channels of their own are faster in f32, too. What waits for its weights is faster in integers.

// REMARK:      use_integer_products_gain.mlir:{{[0-9]+}}:9: remark: not computed in integers: estimated {{[0-9,]+}} cycles in integers, {{[0-9,]+}} cycles in f32
// REMARK-NEXT: use_integer_products_gain.mlir:{{[0-9]+}}:9: remark: not computed in integers: estimated
// REMARK-NEXT: use_integer_products_gain.mlir:{{[0-9]+}}:9: remark: computed in integers: estimated {{[0-9,]+}} cycles in integers, {{[0-9,]+}} cycles in f32
// WORDS: graph.conv2d {{.*}} : tensor<1x28x28x1xf32>, tensor<5x5x1x8xf32> -> tensor<1x24x24x8xf32>
// WORDS: graph.conv2d {{.*}} : tensor<1x14x14x64xf32>, tensor<3x3x1x64xf32> -> tensor<1x12x12x64xf32>
// WORDS: graph.matmul {{.*}} : tensor<1x1024xui8>, tensor<1024x1024xi8> -> tensor<1x1024xi32>
// VNNI:  graph.conv2d {{.*}} : tensor<1x14x14x64xui8>, tensor<3x3x1x64xi8> -> tensor<1x12x12x64xi32>
// VNNI:  graph.matmul {{.*}} : tensor<1x1024xui8>, tensor<1024x1024xi8> -> tensor<1x1024xi32>
// KEEP-COUNT-2: graph.conv2d {{.*}}xi8> -> tensor<{{.*}}xi32>
// KEEP:  graph.matmul {{.*}} -> tensor<1x1024xi32>
func.func @main(%a: tensor<1x28x28x1xui8>, %b: tensor<1x14x14x64xui8>, %c: tensor<1x1024xui8>)
    -> (tensor<1x24x24x8xf32>, tensor<1x12x12x64xf32>, tensor<1x1024xf32>) {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %n = graph.constant dense<0> : tensor<i8>
  %u = graph.constant dense<7> : tensor<5x5x1x8xi8>
  %v = graph.constant dense<6> : tensor<3x3x1x64xi8>
  %w = graph.constant dense<5> : tensor<1024x1024xi8>
  %fa = graph.dequantize %a, %s, %z : tensor<1x28x28x1xui8>, tensor<f32>, tensor<ui8> -> tensor<1x28x28x1xf32>
  %fb = graph.dequantize %b, %s, %z : tensor<1x14x14x64xui8>, tensor<f32>, tensor<ui8> -> tensor<1x14x14x64xf32>
  %fc = graph.dequantize %c, %s, %z : tensor<1x1024xui8>, tensor<f32>, tensor<ui8> -> tensor<1x1024xf32>
  %fu = graph.dequantize %u, %s, %n : tensor<5x5x1x8xi8>, tensor<f32>, tensor<i8> -> tensor<5x5x1x8xf32>
  %fv = graph.dequantize %v, %s, %n : tensor<3x3x1x64xi8>, tensor<f32>, tensor<i8> -> tensor<3x3x1x64xf32>
  %fw = graph.dequantize %w, %s, %n : tensor<1024x1024xi8>, tensor<f32>, tensor<i8> -> tensor<1024x1024xf32>
  %ya = graph.conv2d %fa, %fu {layout = "NHWC"}
      : tensor<1x28x28x1xf32>, tensor<5x5x1x8xf32> -> tensor<1x24x24x8xf32>
  %yb = graph.conv2d %fb, %fv {layout = "NHWC", groups = 64 : i64}
      : tensor<1x14x14x64xf32>, tensor<3x3x1x64xf32> -> tensor<1x12x12x64xf32>
  %yc = graph.matmul %fc, %fw : tensor<1x1024xf32>, tensor<1024x1024xf32> -> tensor<1x1024xf32>
  return %ya, %yb, %yc : tensor<1x24x24x8xf32>, tensor<1x12x12x64xf32>, tensor<1x1024xf32>
}
