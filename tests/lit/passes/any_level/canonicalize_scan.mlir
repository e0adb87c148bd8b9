// RUN: mlc-opt --canonicalize %s | filecheck %s

// CHECK-LABEL: @no_steps
func.func @no_steps(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %a
  %0 = graph.scan 0 carry (%s = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = graph.exp %s : tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @one_step
func.func @one_step(%a: tensor<4xf32>, %xs: tensor<1x4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<1x4xf32>) {
  // CHECK-NEXT: %0 = graph.reshape %xs : tensor<1x4xf32> -> tensor<4xf32>
  // CHECK-NEXT: %1 = graph.mul %a, %0
  // CHECK-NEXT: %2 = graph.add %1, %w
  // CHECK-NEXT: %3 = graph.reshape %1 : tensor<4xf32> -> tensor<1x4xf32>
  // CHECK-NEXT: return %2, %3
  %0:2 = graph.scan 1 carry (%s = %a) over (%x = %xs backwards) using (%v = %w) stack (backwards)
      : (tensor<4xf32>, tensor<1x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<1x4xf32>) {
    %1 = graph.mul %s, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %2 = graph.add %1, %v : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %2, %1 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<1x4xf32>
}

// A constant stands in the body, what is carried unchanged is used, and what is used twice has one name.
// CHECK-LABEL: @operands
func.func @operands(%a: tensor<4xf32>, %w: tensor<4xf32>, %xs: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %0 = graph.scan 3 carry (%s = %a) over (%x = %xs) using (%u = %w) : (tensor<4xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT:   %two = graph.constant dense<2.000000e+00> : tensor<f32>
  // CHECK-NEXT:   %1 = graph.mul %s, %two
  // CHECK-NEXT:   %2 = graph.sub %1, %u
  // CHECK-NEXT:   %3 = graph.div %2, %u
  // CHECK-NEXT:   %4 = graph.add %3, %u
  // CHECK-NEXT:   %5 = graph.sub %4, %x
  // CHECK-NEXT:   %6 = graph.div %5, %x
  // CHECK-NEXT:   graph.yield %6
  // CHECK-NEXT: }
  // CHECK-NEXT: return %0, %w
  %two = graph.constant dense<2.0> : tensor<f32>
  %0:2 = graph.scan 3 carry (%s = %a, %same = %w) over (%x = %xs, %x1 = %xs) using (%c = %two, %u = %w, %v = %w)
      : (tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = graph.mul %s, %c : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
    %2 = graph.sub %1, %u : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %3 = graph.div %2, %v : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %4 = graph.add %3, %same : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %5 = graph.sub %4, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %6 = graph.div %5, %x1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %6, %same : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// Rows of one tensor in two orders are two things.
// CHECK-LABEL: @both_ways
func.func @both_ways(%xs: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK-NEXT: graph.scan 3 over (%x = %xs, %y = %xs backwards)
  %0 = graph.scan 3 over (%x = %xs, %y = %xs backwards) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32> {
    %1 = graph.sub %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<3x4xf32>
}

// Of `%b` and `%c`, which need each other, nobody needs a thing; nor of the second stack; the third is the first.
// CHECK-LABEL: @unused
func.func @unused(%a0: tensor<4xf32>, %b0: tensor<4xf32>, %xs: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  // CHECK-NEXT: %0, %1 = graph.scan 3 carry (%a = %a0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  // CHECK-NEXT:   %2 = graph.exp %a
  // CHECK-NEXT:   graph.yield %2, %2
  // CHECK-NEXT: }
  // CHECK-NEXT: return %0, %1, %1
  %0:6 = graph.scan 3 carry (%a = %a0, %b = %b0, %c = %b0) over (%x = %xs)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
    %1 = graph.exp %a : tensor<4xf32>
    %2 = graph.add %b, %c : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %3 = graph.sub %2, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %1, %3, %2, %1, %3, %1
        : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#3, %0#5 : tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// What is needed by what is needed stays.
// CHECK-LABEL: @needed_in_the_end
func.func @needed_in_the_end(%a0: tensor<4xf32>, %b0: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: graph.scan 3 carry (%a = %a0, %b = %b0)
  %0:2 = graph.scan 3 carry (%a = %a0, %b = %b0) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = graph.exp %b : tensor<4xf32>
    graph.yield %b, %1 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0 : tensor<4xf32>
}

// Rows that are stacked as they came.
// CHECK-LABEL: @stacked_rows
func.func @stacked_rows(%a0: tensor<4xf32>, %xs: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  // CHECK-NEXT: %0, %1 = graph.scan 3 carry (%a = %a0) over (%x = %xs) stack (backwards)
  // CHECK:      graph.yield %{{.*}}, %x
  // CHECK:      return %0, %xs, %1
  %0:3 = graph.scan 3 carry (%a = %a0) over (%x = %xs) stack (forwards, backwards)
      : (tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
    %1 = graph.mul %a, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %1, %x, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}
