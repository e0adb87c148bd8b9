// RUN: mlc-opt %s --quantize-rows=least_gain=0 --target=haswell --remarks --check-each 2>&1 >%t | filecheck %s --check-prefix=WHY
// RUN: filecheck %s --input-file %t
// RUN: mlc-opt %s --quantize-rows=least_gain=0 --target=cortex-a72 | filecheck %s --check-prefix=FLOAT

// Without dot products of bytes, sums of two products fit in 16 bits if weights have four bits, whatever the least one
// is. That is faster than to make floats of them, which weights of more bits become.

// WHY:       remark: rows are rounded to integers of 8 bits: estimated {{.*}} cycles a row in integers, {{.*}} cycles in f32
// WHY:       remark: rows stay floats: the target multiplies integers of 8 bits no faster
// CHECK:     graph.scaled_matmul {{.*}} : tensor<3x4xi8>, tensor<4x2xui8>, tensor<2x2xf32>, tensor<3x2xf32>
// CHECK:     graph.scaled_matmul %x, {{.*}} : tensor<3x4xf32>, tensor<4x2xi8>
// FLOAT-NOT: graph.quantize
func.func @main(%x: tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %s = graph.constant dense<0.5> : tensor<2x2xf32>
  %four = graph.constant dense<[[-128, -113], [-120, -128], [-113, -114], [-127, -119]]> : tensor<4x2xi8>
  %more = graph.constant dense<[[-128, -112], [-120, -128], [-113, -114], [-127, -119]]> : tensor<4x2xi8>
  %y = graph.scaled_matmul %x, %four, %s : tensor<3x4xf32>, tensor<4x2xi8>, tensor<2x2xf32> -> tensor<3x2xf32>
  %z = graph.scaled_matmul %x, %more, %s : tensor<3x4xf32>, tensor<4x2xi8>, tensor<2x2xf32> -> tensor<3x2xf32>
  return %y, %z : tensor<3x2xf32>, tensor<3x2xf32>
}
