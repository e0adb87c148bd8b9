// RUN: mlc-opt %s --convert-stablehlo-to-graph --canonicalize --dce | filecheck %s

// A region of one op is a reduction of the graph; a start that changes nothing is left out.

// CHECK-LABEL: func.func @sum
// CHECK-NEXT: %0 = graph.reduce sum %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: func.return %0
func.func @sum(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @any
// CHECK-NEXT: %0 = graph.cast %x : tensor<8xi1> -> tensor<8xi32>
// CHECK-NEXT: %1 = graph.reduce max %0 axes [0] : tensor<8xi32> -> tensor<i32>
// CHECK: graph.compare ne, %1
func.func @any(%x: tensor<8xi1>) -> tensor<i1> {
  %no = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.reduce(%x init: %no) applies stablehlo.or across dimensions = [0] : (tensor<8xi1>, tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}

// A region that the graph has no word for: more rows than a few become a loop.

// CHECK-LABEL: func.func @loop
// CHECK: graph.scan 32 carry
// CHECK: graph.sub
func.func @loop(%x: tensor<4x32xf32>, %v: tensor<f32>) -> tensor<4xf32> {
  %0 = stablehlo.reduce(%x init: %v) across dimensions = [1] : (tensor<4x32xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>)  {
    %1 = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<4xf32>
}

// What JAX writes for argmax.

// CHECK-LABEL: func.func @argmax
// CHECK-NEXT: %0 = graph.argmax %x axis 1 : tensor<4x8xf32> -> tensor<4xi64>
// CHECK-NEXT: %1 = graph.cast %0 : tensor<4xi64> -> tensor<4xi32>
// CHECK-NEXT: func.return %1
func.func @argmax(%x: tensor<4x8xf32>) -> tensor<4xi32> {
  %n = stablehlo.iota dim = 1 : tensor<4x8xi32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %least), (%n init: %zero) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>)  {
    %1 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %c, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %b : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  return %0#1 : tensor<4xi32>
}

// A sort by the least keys last is two sorts.

// CHECK-LABEL: func.func @sort
// CHECK: graph.argsort %y axis 0 first 5
// CHECK: graph.argsort %{{.*}} axis 0 descending first 5
func.func @sort(%x: tensor<5xi32>, %y: tensor<5xf32>) -> (tensor<5xi32>, tensor<5xf32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
    %1 = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.compare LT, %c, %d, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.and %2, %3 : tensor<i1>
    %5 = stablehlo.or %1, %4 : tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<5xi32>, tensor<5xf32>) -> (tensor<5xi32>, tensor<5xf32>)
  return %0#0, %0#1 : tensor<5xi32>, tensor<5xf32>
}
