// RUN: mlc-opt %s --convert-stablehlo-to-graph --canonicalize --dce | filecheck %s

// A loop that counts to a known number is a scan. Rows that are read at the counter are rows of it, rows that are
// written there a stack. Functions that it calls are parts of it.

// CHECK-LABEL: func.func @rows
// CHECK-NEXT: %start = graph.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-NEXT: %0, %1 = graph.scan 4 carry (%start_1 = %start) over (%x_1 = %x) : (tensor<8xf32>, tensor<4x8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
// CHECK-NEXT:   %2 = graph.add %start_1, %x_1 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
// CHECK-NEXT:   graph.yield %2, %2 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %0, %1
func.func @rows(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
  %start = stablehlo.constant dense<0.0> : tensor<8xf32>
  %empty = stablehlo.constant dense<0.0> : tensor<4x8xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:4 = stablehlo.while(%a = %x, %i = %zero, %c = %start, %y = %empty) : tensor<4x8xf32>, tensor<i32>, tensor<8xf32>, tensor<4x8xf32>
  cond {
    %four = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = func.call @row(%a, %i) : (tensor<4x8xf32>, tensor<i32>) -> tensor<8xf32>
    %2 = stablehlo.add %c, %1 : tensor<8xf32>
    %3 = stablehlo.reshape %2 : (tensor<8xf32>) -> tensor<1x8xf32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.dynamic_update_slice %y, %3, %i, %none : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %a, %5, %2, %4 : tensor<4x8xf32>, tensor<i32>, tensor<8xf32>, tensor<4x8xf32>
  }
  return %0#2, %0#3 : tensor<8xf32>, tensor<4x8xf32>
}

// CHECK-NOT: @row
func.func private @row(%x: tensor<4x8xf32>, %i: tensor<i32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// An array that a step writes and another thing reads is carried.

// CHECK-LABEL: func.func @carried
// CHECK: graph.scan 4 carry (%{{.*}} = %y)
func.func @carried(%y: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %y) : tensor<i32>, tensor<4xf32>
  cond {
    %four = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %nothing = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%a init: %nothing) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
    %3 = stablehlo.dynamic_update_slice %a, %2, %i : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// The number of steps is data.

// CHECK-LABEL: func.func @open
// CHECK: graph.while carry (%x)
func.func @open(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%a = %x) : tensor<f32>
  cond {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %1 = stablehlo.compare GT, %a, %one, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %most = stablehlo.constant dense<64.0> : tensor<f32>
    %few = stablehlo.minimum %a, %most : tensor<f32>
    %1 = stablehlo.multiply %few, %half : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// From the last row to the first, as the gradient of a scan goes; a value that counts is no value that is carried.

// CHECK-LABEL: func.func @backwards
// CHECK: graph.constant dense<[7, 9, 11, 13]> : tensor<4xi32>
// CHECK: graph.scan 4 carry (%start_1 = %start) over (%{{.*}} backwards{{.*}}) stack (backwards)
func.func @backwards(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>, tensor<i32>) {
  %start = stablehlo.constant dense<0.0> : tensor<8xf32>
  %empty = stablehlo.constant dense<0.0> : tensor<4x8xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %0:5 = stablehlo.while(%a = %x, %i = %zero, %c = %start, %y = %empty, %n = %seven) : tensor<4x8xf32>, tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<i32>
  cond {
    %four = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %four = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.subtract %four, %i : tensor<i32>
    %2 = stablehlo.subtract %1, %one : tensor<i32>
    %3 = stablehlo.dynamic_slice %a, %2, %none, sizes = [1, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x8xf32>) -> tensor<8xf32>
    %5 = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %7 = stablehlo.multiply %4, %6 : tensor<8xf32>
    %8 = stablehlo.add %c, %7 : tensor<8xf32>
    %9 = stablehlo.reshape %8 : (tensor<8xf32>) -> tensor<1x8xf32>
    %10 = stablehlo.dynamic_update_slice %y, %9, %2, %none : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %11 = stablehlo.add %i, %one : tensor<i32>
    %12 = stablehlo.add %n, %two : tensor<i32>
    stablehlo.return %a, %11, %8, %10, %12 : tensor<4x8xf32>, tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<i32>
  }
  return %0#2, %0#3, %0#4 : tensor<8xf32>, tensor<4x8xf32>, tensor<i32>
}

// A scan of CHLO goes along the first axis, so what it goes along is moved there and back.

// CHECK-LABEL: func.func @scan
// CHECK-NEXT: %[[ROWS:.*]] = graph.transpose %x
// CHECK-NEXT: graph.scan 3 carry ({{.*}} = %i) over {{.*}} = %[[ROWS]] backwards
// CHECK-NEXT: graph.add
// CHECK: graph.transpose {{.*}} -> tensor<2x3xi32>
func.func @scan(%x: tensor<2x3xi32>, %i: tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>) {
  %0:2 = chlo.scan(%x) inits(%i) dimension=1 attributes {is_reverse = true} {
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    %1 = stablehlo.add %a, %b : tensor<2xi32>
    stablehlo.return %1, %1 : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2x3xi32>, tensor<2xi32>
}
