// RUN: mlc-opt %s --convert-graph-to-tensor | filecheck %s

// Operands become f32, constants at once, and each result of an op is rounded, in a kernel of several, too.
// CHECK-LABEL: func.func private @add_mul(%a: tensor<4xbf16>, %b: tensor<4xbf16>) -> tensor<4xbf16>
// CHECK: %[[A:.*]] = tensor.map %a[n] over (n: 4) : tensor<4xbf16> -> tensor<4xf32>
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[B:.*]] = tensor.map %b[n] over (n: 4) : tensor<4xbf16> -> tensor<4xf32>
// CHECK: %[[SUM:.*]] = tensor.map %[[A]][n], %[[B]][n]
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: %[[SHORT:.*]] = tensor.map %[[SUM]][n] over (n: 4) : tensor<4xf32> -> tensor<4xbf16>
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: %[[AGAIN:.*]] = tensor.map %[[SHORT]][n] over (n: 4) : tensor<4xbf16> -> tensor<4xf32>
// CHECK: tensor.map %[[AGAIN]][n]
// CHECK: arith.constant 5.000000e-01 : f32
// CHECK: arith.mulf
// CHECK: arith.truncf
func.func @main(%x: tensor<4xbf16>, %y: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = graph.fusion "add_mul" (%a = %x, %b = %y) : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16> {
    %half = graph.constant dense<0.5> : tensor<bf16>
    %1 = graph.add %a, %b : tensor<4xbf16>, tensor<4xbf16> -> tensor<4xbf16>
    %2 = graph.mul %1, %half : tensor<4xbf16>, tensor<bf16> -> tensor<4xbf16>
    graph.yield %2 : tensor<4xbf16>
  }
  return %0 : tensor<4xbf16>
}

// What moves elements does not change them; a comparison has no float to round.
// CHECK-LABEL: func.func private @transpose(
// CHECK-NOT: arith.
// CHECK-LABEL: func.func private @compare(
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK-NOT: arith.truncf
// CHECK-LABEL: func.func private @cast(
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.fptosi %{{.*}} : f32 to i32
// CHECK-LABEL: func.func @kept(
func.func @kept(%x: tensor<4x8xf16>) -> (tensor<8x4xf16>, tensor<4x8xi1>, tensor<4x8xi32>) {
  %0 = graph.transpose %x [1, 0] : tensor<4x8xf16> -> tensor<8x4xf16>
  %1 = graph.compare lt, %x, %x : tensor<4x8xf16>, tensor<4x8xf16> -> tensor<4x8xi1>
  %2 = graph.cast %x : tensor<4x8xf16> -> tensor<4x8xi32>
  return %0, %1, %2 : tensor<8x4xf16>, tensor<4x8xi1>, tensor<4x8xi32>
}

// A product with a constant matrix sums products of short factors in f32; one whose depth fills no words, one of a
// matrix that is not constant, and one of many rows with f16 become wider.
// CHECK-LABEL: func.func private @product(
// CHECK: %[[SUM:.*]] = tensor.contract %{{.*}}[m, k], %{{.*}}[k, n] {{.*}} : tensor<4x6xbf16>, tensor<6x5xbf16> -> tensor<4x5xf32>
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK-LABEL: func.func private @odd(
// CHECK: tensor.contract {{.*}} : tensor<4x5xf32>, tensor<5x5xf32> -> tensor<4x5xf32>
// CHECK-LABEL: func.func private @given(
// CHECK: tensor.contract {{.*}} : tensor<4x5xf32>, tensor<5x2xf32> -> tensor<4x2xf32>
// CHECK-LABEL: func.func private @few(
// CHECK: tensor.contract {{.*}} : tensor<16x6xf16>, tensor<6x5xf16> -> tensor<16x5xf32>
// CHECK-LABEL: func.func private @many(
// CHECK: tensor.contract {{.*}} : tensor<17x6xf32>, tensor<6x5xf32> -> tensor<17x5xf32>
func.func @products(%x: tensor<4x6xbf16>, %z: tensor<5x2xbf16>, %u: tensor<16x6xf16>, %v: tensor<17x6xf16>) -> (tensor<4x2xbf16>, tensor<16x5xf16>, tensor<17x5xf16>) {
  %w = graph.constant dense<0.5> : tensor<6x5xbf16>
  %odd = graph.constant dense<0.25> : tensor<5x5xbf16>
  %h = graph.constant dense<0.5> : tensor<6x5xf16>
  %0 = graph.fusion "product" (%a = %x, %b = %w) : (tensor<4x6xbf16>, tensor<6x5xbf16>) -> tensor<4x5xbf16> {
    %1 = graph.matmul %a, %b : tensor<4x6xbf16>, tensor<6x5xbf16> -> tensor<4x5xbf16>
    graph.yield %1 : tensor<4x5xbf16>
  }
  %2 = graph.fusion "odd" (%a = %0, %b = %odd) : (tensor<4x5xbf16>, tensor<5x5xbf16>) -> tensor<4x5xbf16> {
    %3 = graph.matmul %a, %b : tensor<4x5xbf16>, tensor<5x5xbf16> -> tensor<4x5xbf16>
    graph.yield %3 : tensor<4x5xbf16>
  }
  %4 = graph.fusion "given" (%a = %2, %b = %z) : (tensor<4x5xbf16>, tensor<5x2xbf16>) -> tensor<4x2xbf16> {
    %5 = graph.matmul %a, %b : tensor<4x5xbf16>, tensor<5x2xbf16> -> tensor<4x2xbf16>
    graph.yield %5 : tensor<4x2xbf16>
  }
  %6 = graph.fusion "few" (%a = %u, %b = %h) : (tensor<16x6xf16>, tensor<6x5xf16>) -> tensor<16x5xf16> {
    %7 = graph.matmul %a, %b : tensor<16x6xf16>, tensor<6x5xf16> -> tensor<16x5xf16>
    graph.yield %7 : tensor<16x5xf16>
  }
  %8 = graph.fusion "many" (%a = %v, %b = %h) : (tensor<17x6xf16>, tensor<6x5xf16>) -> tensor<17x5xf16> {
    %9 = graph.matmul %a, %b : tensor<17x6xf16>, tensor<6x5xf16> -> tensor<17x5xf16>
    graph.yield %9 : tensor<17x5xf16>
  }
  return %4, %6, %8 : tensor<4x2xbf16>, tensor<16x5xf16>, tensor<17x5xf16>
}

// Other types are no concern of that.
// CHECK-LABEL: func.func private @long(
// CHECK: tensor.contract {{.*}} : tensor<4x6xf64>, tensor<6x5xf64> -> tensor<4x5xf64>
func.func @long_products(%x: tensor<4x6xf64>) -> tensor<4x5xf64> {
  %w = graph.constant dense<0.5> : tensor<6x5xf64>
  %0 = graph.fusion "long" (%a = %x, %b = %w) : (tensor<4x6xf64>, tensor<6x5xf64>) -> tensor<4x5xf64> {
    %1 = graph.matmul %a, %b : tensor<4x6xf64>, tensor<6x5xf64> -> tensor<4x5xf64>
    graph.yield %1 : tensor<4x5xf64>
  }
  return %0 : tensor<4x5xf64>
}
