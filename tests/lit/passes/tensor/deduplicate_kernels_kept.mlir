// RUN: mlc-opt %s --deduplicate-kernels | filecheck %s

// Kernels that differ in one thing, and are not the same.

// What the others differ from.
// CHECK: func.func private @plain(
func.func private @plain(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi32> {
  %0 = tensor.map %x[n], %y[n] over (n: 4) : tensor<4xi8>, tensor<4xi8> -> tensor<4xi32> {
  ^bb0(%a: i8, %b: i8):
    %s = arith.subi %a, %b : i8
    %c = arith.constant 3 : i8
    %p = arith.muli %s, %c : i8
    %w = arith.sitofp %p : i8 to f32
    %r = arith.fptosi %w : f32 to i32
    tensor.yield %r : i32
  }
  return %0 : tensor<4xi32>
}

// Equal but for its names: gone.
// CHECK-NOT: func.func private @again(
func.func private @again(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi32> {
  %0 = tensor.map %x[n], %y[n] over (n: 4) : tensor<4xi8>, tensor<4xi8> -> tensor<4xi32> {
  ^bb0(%a: i8, %b: i8):
    %s = arith.subi %a, %b : i8
    %c = arith.constant 3 : i8
    %p = arith.muli %s, %c : i8
    %w = arith.sitofp %p : i8 to f32
    %r = arith.fptosi %w : f32 to i32
    tensor.yield %r : i32
  }
  return %0 : tensor<4xi32>
}

// Operands the other way round.
// CHECK: func.func private @swapped(
func.func private @swapped(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi32> {
  %0 = tensor.map %x[n], %y[n] over (n: 4) : tensor<4xi8>, tensor<4xi8> -> tensor<4xi32> {
  ^bb0(%a: i8, %b: i8):
    %s = arith.subi %b, %a : i8
    %c = arith.constant 3 : i8
    %p = arith.muli %s, %c : i8
    %w = arith.sitofp %p : i8 to f32
    %r = arith.fptosi %w : f32 to i32
    tensor.yield %r : i32
  }
  return %0 : tensor<4xi32>
}

// Another constant.
// CHECK: func.func private @other_number(
func.func private @other_number(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi32> {
  %0 = tensor.map %x[n], %y[n] over (n: 4) : tensor<4xi8>, tensor<4xi8> -> tensor<4xi32> {
  ^bb0(%a: i8, %b: i8):
    %s = arith.subi %a, %b : i8
    %c = arith.constant 5 : i8
    %p = arith.muli %s, %c : i8
    %w = arith.sitofp %p : i8 to f32
    %r = arith.fptosi %w : f32 to i32
    tensor.yield %r : i32
  }
  return %0 : tensor<4xi32>
}

// Another type in between.
// CHECK: func.func private @other_width(
func.func private @other_width(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi32> {
  %0 = tensor.map %x[n], %y[n] over (n: 4) : tensor<4xi8>, tensor<4xi8> -> tensor<4xi32> {
  ^bb0(%a: i8, %b: i8):
    %s = arith.subi %a, %b : i8
    %c = arith.constant 3 : i8
    %p = arith.muli %s, %c : i8
    %w = arith.sitofp %p : i8 to f64
    %r = arith.fptosi %w : f64 to i32
    tensor.yield %r : i32
  }
  return %0 : tensor<4xi32>
}

// Another schedule.
// CHECK: func.func private @scheduled(
func.func private @scheduled(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi32> attributes {schedule = #loop.schedule<[vectorize(n)]>} {
  %0 = tensor.map %x[n], %y[n] over (n: 4) : tensor<4xi8>, tensor<4xi8> -> tensor<4xi32> {
  ^bb0(%a: i8, %b: i8):
    %s = arith.subi %a, %b : i8
    %c = arith.constant 3 : i8
    %p = arith.muli %s, %c : i8
    %w = arith.sitofp %p : i8 to f32
    %r = arith.fptosi %w : f32 to i32
    tensor.yield %r : i32
  }
  return %0 : tensor<4xi32>
}

func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  // CHECK: call @plain(
  %0 = func.call @plain(%x, %y) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi32>
  // CHECK: call @plain(
  %1 = func.call @again(%x, %y) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi32>
  // CHECK: call @swapped(
  %2 = func.call @swapped(%x, %y) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi32>
  // CHECK: call @other_number(
  %3 = func.call @other_number(%x, %y) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi32>
  // CHECK: call @other_width(
  %4 = func.call @other_width(%x, %y) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi32>
  // CHECK: call @scheduled(
  %5 = func.call @scheduled(%x, %y) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
