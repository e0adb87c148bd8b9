// RUN: mlc-opt %s --narrow-products --remarks --target=haswell 2>&1 >%t | filecheck %s --check-prefix=HASWELL
// RUN: filecheck %s --check-prefix=ROW --input-file %t
// RUN: mlc-opt %s --narrow-products --remarks --target=sapphirerapids 2>&1 >%t | filecheck %s --check-prefix=HASWELL
// RUN: filecheck %s --check-prefix=ROW --input-file %t
// RUN: mlc-opt %s --narrow-products --remarks --target=sapphirerapids-amx 2>&1 >%t | filecheck %s --check-prefix=AMX
// RUN: filecheck %s --check-prefix=ALL --input-file %t

// Without an instruction that is fast, factors of many rows stay f32: taking words apart takes longer than what is
// saved. One row waits for its weights, which are half as long in 16 bits.

// HASWELL:      narrow_products_gain.mlir:{{[0-9]+}}:8: remark: factors stay f32: estimated {{[0-9,]+}} cycles in f32, {{[0-9,]+}} cycles in bf16
// HASWELL-NEXT: narrow_products_gain.mlir:{{[0-9]+}}:8: remark: factors are rounded to bf16: estimated {{[0-9,]+}} cycles in f32, {{[0-9,]+}} cycles in bf16
// HASWELL-NEXT: narrow_products_gain.mlir:{{[0-9]+}}:8: remark: factors stay f32: estimated
// HASWELL-NOT:  remark
// ROW:     graph.matmul {{.*}} : tensor<256x512xf32>, tensor<512x512xf32> -> tensor<256x512xf32>
// ROW:     graph.matmul {{.*}} : tensor<1x2048xbf16>, tensor<2048x4096xbf16> -> tensor<1x4096xf32>
// ROW:     graph.conv2d {{.*}} : tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x26x26xf32>
// AMX-COUNT-3: remark: factors are rounded to bf16
// ALL-COUNT-3: bf16> -> tensor<{{.*}}xf32>
func.func @main(%x: tensor<256x512xf32>, %r: tensor<1x2048xf32>, %i: tensor<1x64x28x28xf32>)
    -> (tensor<256x512xf32>, tensor<1x4096xf32>, tensor<1x64x26x26xf32>) {
  %w = graph.constant dense<0.3> : tensor<512x512xf32>
  %v = graph.constant dense<0.7> : tensor<2048x4096xf32>
  %k = graph.constant dense<0.5> : tensor<64x64x3x3xf32>
  %y = graph.matmul %x, %w : tensor<256x512xf32>, tensor<512x512xf32> -> tensor<256x512xf32>
  %z = graph.matmul %r, %v : tensor<1x2048xf32>, tensor<2048x4096xf32> -> tensor<1x4096xf32>
  %c = graph.conv2d %i, %k : tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x26x26xf32>
  return %y, %z, %c : tensor<256x512xf32>, tensor<1x4096xf32>, tensor<1x64x26x26xf32>
}
