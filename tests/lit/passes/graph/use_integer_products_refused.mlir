// RUN: mlc-opt %s --split-input-file --use-integer-products=precision=keep --remarks --target=icelake-server 2>&1 >%t | filecheck %s
// RUN: mlc-opt %s --split-input-file --use-integer-products=precision=keep --target=icelake-server | filecheck %s --check-prefix=SAME

// Up to 65,793 products fit, and are computed in integers; so are those with a scale of 0.
// CHECK-COUNT-2: remark: computed in integers
// SAME-COUNT-2: graph.matmul {{.*}}i8> -> tensor<1x1xi32>
// SAME-NOT: graph.matmul {{.*}}i8> -> tensor<{{.*}}xi32>
// SAME-NOT: graph.conv2d {{.*}}i8> -> tensor<{{.*}}xi32>

func.func @f(%q: tensor<1x65793xui8>) -> tensor<1x1xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %t = graph.constant dense<0.5> : tensor<f32>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<1> : tensor<65793x1xi8>
  %x = graph.dequantize %q, %s, %z : tensor<1x65793xui8>, tensor<f32>, tensor<ui8> -> tensor<1x65793xf32>
  %w = graph.dequantize %v, %t, %n : tensor<65793x1xi8>, tensor<f32>, tensor<i8> -> tensor<65793x1xf32>
  %y = graph.matmul %x, %w : tensor<1x65793xf32>, tensor<65793x1xf32> -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}

// -----

func.func @f(%q: tensor<1x4xui8>) -> tensor<1x1xf32> {
  %s = graph.constant dense<0.0> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %t = graph.constant dense<0.5> : tensor<f32>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<1> : tensor<4x1xi8>
  %x = graph.dequantize %q, %s, %z : tensor<1x4xui8>, tensor<f32>, tensor<ui8> -> tensor<1x4xf32>
  %w = graph.dequantize %v, %t, %n : tensor<4x1xi8>, tensor<f32>, tensor<i8> -> tensor<4x1xf32>
  %y = graph.matmul %x, %w : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}

// -----

// CHECK: not computed in integers: 65794 products may overflow the sum
func.func @f(%q: tensor<1x65794xui8>) -> tensor<1x1xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %t = graph.constant dense<0.5> : tensor<f32>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<1> : tensor<65794x1xi8>
  %x = graph.dequantize %q, %s, %z : tensor<1x65794xui8>, tensor<f32>, tensor<ui8> -> tensor<1x65794xf32>
  %w = graph.dequantize %v, %t, %n : tensor<65794x1xi8>, tensor<f32>, tensor<i8> -> tensor<65794x1xf32>
  %y = graph.matmul %x, %w : tensor<1x65794xf32>, tensor<65794x1xf32> -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}

// -----

// CHECK: not computed in integers: the first factor has other scales along what is summed up
func.func @f(%q: tensor<2x4xui8>) -> tensor<2x2xf32> {
  %s = graph.constant dense<[0.5, 0.25, 1.0, 2.0]> : tensor<4xf32>
  %z = graph.constant dense<3> : tensor<ui8>
  %t = graph.constant dense<0.5> : tensor<f32>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<1> : tensor<4x2xi8>
  %x = graph.dequantize %q, %s, %z : tensor<2x4xui8>, tensor<4xf32>, tensor<ui8> -> tensor<2x4xf32>
  %w = graph.dequantize %v, %t, %n : tensor<4x2xi8>, tensor<f32>, tensor<i8> -> tensor<4x2xf32>
  %y = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// CHECK: not computed in integers: the second factor has other scales along what is summed up
func.func @f(%q: tensor<2x4xui8>) -> tensor<2x2xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %t = graph.constant dense<[[0.5], [0.25], [1.0], [2.0]]> : tensor<4x1xf32>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<1> : tensor<4x2xi8>
  %x = graph.dequantize %q, %s, %z : tensor<2x4xui8>, tensor<f32>, tensor<ui8> -> tensor<2x4xf32>
  %w = graph.dequantize %v, %t, %n : tensor<4x2xi8>, tensor<4x1xf32>, tensor<i8> -> tensor<4x2xf32>
  %y = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// CHECK: not computed in integers: the second factor is not a constant of 8 bits
func.func @f(%q: tensor<2x4xui8>, %v: tensor<4x2xi8>) -> tensor<2x2xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %t = graph.constant dense<0.5> : tensor<f32>
  %n = graph.constant dense<0> : tensor<i8>
  %x = graph.dequantize %q, %s, %z : tensor<2x4xui8>, tensor<f32>, tensor<ui8> -> tensor<2x4xf32>
  %w = graph.dequantize %v, %t, %n : tensor<4x2xi8>, tensor<f32>, tensor<i8> -> tensor<4x2xf32>
  %y = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// CHECK: not computed in integers: products of the scales overflow, or are subnormal
func.func @f(%q: tensor<2x4xui8>) -> tensor<2x2xf32> {
  %s = graph.constant dense<1.0e-30> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %t = graph.constant dense<1.0e-10> : tensor<f32>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<1> : tensor<4x2xi8>
  %x = graph.dequantize %q, %s, %z : tensor<2x4xui8>, tensor<f32>, tensor<ui8> -> tensor<2x4xf32>
  %w = graph.dequantize %v, %t, %n : tensor<4x2xi8>, tensor<f32>, tensor<i8> -> tensor<4x2xf32>
  %y = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// CHECK: not computed in integers: products of the scales overflow, or are subnormal
func.func @f(%q: tensor<2x4xui8>) -> tensor<2x2xf32> {
  %s = graph.constant dense<1.0e+30> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %t = graph.constant dense<[1.0, 1.0e+10]> : tensor<2xf32>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<1> : tensor<4x2xi8>
  %x = graph.dequantize %q, %s, %z : tensor<2x4xui8>, tensor<f32>, tensor<ui8> -> tensor<2x4xf32>
  %w = graph.dequantize %v, %t, %n : tensor<4x2xi8>, tensor<2xf32>, tensor<i8> -> tensor<4x2xf32>
  %y = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// CHECK: not computed in integers: products of the scales overflow, or are subnormal
func.func @f(%q: tensor<2x4xui8>) -> tensor<2x2xf32> {
  %s = graph.constant dense<0x7F800000> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %t = graph.constant dense<0.5> : tensor<f32>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<1> : tensor<4x2xi8>
  %x = graph.dequantize %q, %s, %z : tensor<2x4xui8>, tensor<f32>, tensor<ui8> -> tensor<2x4xf32>
  %w = graph.dequantize %v, %t, %n : tensor<4x2xi8>, tensor<f32>, tensor<i8> -> tensor<4x2xf32>
  %y = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// CHECK: not computed in integers: its padding is a zero point that is not known, or that the type of its image has not
func.func @beyond(%q: tensor<1x4x3x3xui8>) -> tensor<1x2x3x3xi32> {
  %z = graph.constant dense<1000> : tensor<i32>
  %w = graph.constant dense<1> : tensor<2x4x3x3xi32>
  %0 = graph.cast %q : tensor<1x4x3x3xui8> -> tensor<1x4x3x3xi32>
  %x = graph.sub %0, %z : tensor<1x4x3x3xi32>, tensor<i32> -> tensor<1x4x3x3xi32>
  %y = graph.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : tensor<1x4x3x3xi32>, tensor<2x4x3x3xi32> -> tensor<1x2x3x3xi32>
  return %y : tensor<1x2x3x3xi32>
}

// -----

// CHECK: not computed in integers: the first factor has other scales along what is summed up
func.func @f(%q: tensor<1x4x3x3xui8>) -> tensor<1x2x1x1xf32> {
  %s = graph.constant dense<[[[[0.5]], [[1.0]], [[2.0]], [[4.0]]]]> : tensor<1x4x1x1xf32>
  %z = graph.constant dense<3> : tensor<ui8>
  %t = graph.constant dense<0.5> : tensor<f32>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<1> : tensor<2x4x3x3xi8>
  %x = graph.dequantize %q, %s, %z : tensor<1x4x3x3xui8>, tensor<1x4x1x1xf32>, tensor<ui8> -> tensor<1x4x3x3xf32>
  %w = graph.dequantize %v, %t, %n : tensor<2x4x3x3xi8>, tensor<f32>, tensor<i8> -> tensor<2x4x3x3xf32>
  %y = graph.conv2d %x, %w : tensor<1x4x3x3xf32>, tensor<2x4x3x3xf32> -> tensor<1x2x1x1xf32>
  return %y : tensor<1x2x1x1xf32>
}

// -----

// CHECK: not computed in integers: the second factor has other scales along what is summed up
func.func @f(%q: tensor<1x4x3x3xui8>) -> tensor<1x2x1x1xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %t = graph.constant dense<[[[0.5]], [[1.0]], [[2.0]], [[4.0]]]> : tensor<4x1x1xf32>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<1> : tensor<2x4x3x3xi8>
  %x = graph.dequantize %q, %s, %z : tensor<1x4x3x3xui8>, tensor<f32>, tensor<ui8> -> tensor<1x4x3x3xf32>
  %w = graph.dequantize %v, %t, %n : tensor<2x4x3x3xi8>, tensor<4x1x1xf32>, tensor<i8> -> tensor<2x4x3x3xf32>
  %y = graph.conv2d %x, %w : tensor<1x4x3x3xf32>, tensor<2x4x3x3xf32> -> tensor<1x2x1x1xf32>
  return %y : tensor<1x2x1x1xf32>
}
