// RUN: mlc-opt --where-to-if --check-each %s | filecheck %s
// RUN: mlc-opt --where-to-if --remarks %s 2>&1 >%t | filecheck %s --check-prefix=REMARK

// All choices of one condition are one branch: the product, and what follows of it, is computed where it holds. An
// earlier choice is known in both bodies; constants are repeated; what reads a choice alone comes later.
// CHECK-LABEL: @recurrent
func.func @recurrent(%xs: tensor<6x2x3xf32>, %h0: tensor<2x3xf32>, %w: tensor<3x3xf32>, %n: tensor<i64>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<6x2x3xf32>, tensor<6x2x3xf32>) {
  %count = graph.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi64>
  // REMARK: remark: 3 'graph.where' are a branch, as they leave a product out
  // CHECK:      graph.scan 6
  // CHECK-NEXT:   %[[C:.*]] = graph.compare lt, %t, %end
  // CHECK-NEXT:   %[[A:.*]], %[[B:.*]], %[[D:.*]] = graph.if %[[C]] using (%h, %v, %x, %c) :
  // CHECK-SAME:   -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK-NEXT:   ^bb0(%[[H:.*]]: tensor<2x3xf32>, %[[V:.*]]: tensor<3x3xf32>, %[[X:.*]]: tensor<2x3xf32>, %[[K:.*]]: tensor<2x3xf32>):
  // CHECK-NEXT:     %[[P:.*]] = graph.matmul %[[H]], %[[V]]
  // CHECK-NEXT:     %[[NEW:.*]] = graph.add %[[X]], %[[P]]
  // CHECK-NEXT:     %[[T:.*]] = graph.tanh %[[NEW]]
  // CHECK-NEXT:     %[[CELL:.*]] = graph.mul %[[T]], %[[K]]
  // CHECK-NEXT:     graph.yield %[[NEW]], %[[CELL]], %[[T]]
  // CHECK-NEXT:   } else {
  // CHECK-NEXT:   ^bb0(%[[H2:.*]]: tensor<2x3xf32>, %{{.*}}: tensor<3x3xf32>, %{{.*}}: tensor<2x3xf32>, %{{.*}}: tensor<2x3xf32>):
  // CHECK-NEXT:     %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
  // CHECK-NEXT:     %[[ROW:.*]] = graph.broadcast %[[ZERO]] : tensor<f32> -> tensor<2x3xf32>
  // CHECK-NEXT:     graph.yield %[[H2]], %[[H2]], %[[ROW]]
  // CHECK-NEXT:   }
  // CHECK-NEXT:   %[[N:.*]] = graph.neg %[[A]]
  // CHECK-NEXT:   graph.yield %[[A]], %[[B]], %[[D]], %[[N]]
  %0:4 = graph.scan 6 carry (%h = %h0, %c = %h0) over (%t = %count, %x = %xs) using (%end = %n, %v = %w) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<6xi64>, tensor<6x2x3xf32>, tensor<i64>, tensor<3x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<6x2x3xf32>, tensor<6x2x3xf32>) {
    %1 = graph.compare lt, %t, %end : tensor<i64>, tensor<i64> -> tensor<i1>
    %2 = graph.matmul %h, %v : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
    %3 = graph.add %x, %2 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %4 = graph.where %1, %3, %h : tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %9 = graph.neg %4 : tensor<2x3xf32>
    %5 = graph.tanh %4 : tensor<2x3xf32>
    %zero = graph.constant dense<0.0> : tensor<f32>
    %6 = graph.mul %5, %c : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %7 = graph.where %1, %6, %4 : tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %8 = graph.where %1, %5, %zero : tensor<i1>, tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
    graph.yield %4, %7, %8, %9 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<6x2x3xf32>, tensor<6x2x3xf32>
}

// A flag for one sequence has two axes. A loop inside is left out like a product.
// CHECK-LABEL: @one_sequence
func.func @one_sequence(%h0: tensor<1x3xf32>, %flags: tensor<4x1xi1>) -> tensor<1x3xf32> {
  // CHECK:      graph.scan 4
  // CHECK-NEXT:   %[[F:.*]] = graph.reshape %f : tensor<1xi1> -> tensor<i1>
  // CHECK-NEXT:   graph.if %[[F]] using (%h)
  // CHECK-NEXT:   ^bb0
  // CHECK-NEXT:     graph.scan 3
  %0 = graph.scan 4 carry (%h = %h0) over (%f = %flags) : (tensor<1x3xf32>, tensor<4x1xi1>) -> tensor<1x3xf32> {
    %1 = graph.reshape %f : tensor<1xi1> -> tensor<1x1xi1>
    %2 = graph.scan 3 carry (%s = %h) : (tensor<1x3xf32>) -> tensor<1x3xf32> {
      %4 = graph.tanh %s : tensor<1x3xf32>
      graph.yield %4 : tensor<1x3xf32>
    }
    %3 = graph.where %1, %2, %h : tensor<1x1xi1>, tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
    graph.yield %3 : tensor<1x3xf32>
  }
  return %0 : tensor<1x3xf32>
}

// Each body computes what it is chosen for, and neither what both sides are computed of.
// CHECK-LABEL: @both_sides
func.func @both_sides(%h0: tensor<2x2xf32>, %w: tensor<2x2xf32>, %on: tensor<4xi1>) -> tensor<2x2xf32> {
  // CHECK:      graph.scan 4
  // CHECK-NEXT:   %[[E:.*]] = graph.exp %h
  // CHECK-NEXT:   graph.if %f using (%[[E]], %v)
  // CHECK-NEXT:   ^bb0(%[[X:.*]]: tensor<2x2xf32>, %[[V:.*]]: tensor<2x2xf32>):
  // CHECK-NEXT:     %[[T:.*]] = graph.tanh %[[X]]
  // CHECK-NEXT:     graph.yield %[[T]]
  // CHECK-NEXT:   } else {
  // CHECK-NEXT:   ^bb0(%[[X:.*]]: tensor<2x2xf32>, %[[V:.*]]: tensor<2x2xf32>):
  // CHECK-NEXT:     %[[P:.*]] = graph.matmul %[[X]], %[[V]]
  // CHECK-NEXT:     graph.yield %[[P]]
  %0 = graph.scan 4 carry (%h = %h0) over (%f = %on) using (%v = %w) : (tensor<2x2xf32>, tensor<4xi1>, tensor<2x2xf32>) -> tensor<2x2xf32> {
    %1 = graph.exp %h : tensor<2x2xf32>
    %2 = graph.tanh %1 : tensor<2x2xf32>
    %3 = graph.matmul %1, %v : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %4 = graph.where %f, %2, %3 : tensor<i1>, tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    graph.yield %4 : tensor<2x2xf32>
  }
  return %0 : tensor<2x2xf32>
}

// What was chosen before is known in each body, and what is chosen nowhere is not computed.
// CHECK-LABEL: @known_choice
func.func @known_choice(%h0: tensor<2x2xf32>, %w: tensor<2x2xf32>, %on: tensor<4xi1>) -> tensor<2x2xf32> {
  // CHECK:      graph.scan 4
  // CHECK-NEXT:   graph.if %f using (%h, %v)
  // CHECK-NEXT:   ^bb0(%[[X:.*]]: tensor<2x2xf32>, %{{.*}}: tensor<2x2xf32>):
  // CHECK-NEXT:     %[[T:.*]] = graph.tanh %[[X]]
  // CHECK-NEXT:     graph.yield %[[T]]
  // CHECK-NEXT:   } else {
  // CHECK-NEXT:   ^bb0(%[[Y:.*]]: tensor<2x2xf32>, %{{.*}}: tensor<2x2xf32>):
  // CHECK-NEXT:     graph.yield %[[Y]]
  %0 = graph.scan 4 carry (%h = %h0) over (%f = %on) using (%v = %w) : (tensor<2x2xf32>, tensor<4xi1>, tensor<2x2xf32>) -> tensor<2x2xf32> {
    %1 = graph.matmul %h, %v : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %2 = graph.where %f, %h, %1 : tensor<i1>, tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %3 = graph.tanh %2 : tensor<2x2xf32>
    %4 = graph.where %f, %3, %h : tensor<i1>, tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    graph.yield %4 : tensor<2x2xf32>
  }
  return %0 : tensor<2x2xf32>
}

// Not: a flag for each sequence, no product, a product that others read, one that is computed of an earlier choice by
// what is read elsewhere, too, and what no loop repeats.
// CHECK-LABEL: @stays
// CHECK-NOT: graph.if
func.func @stays(%h0: tensor<2x2xf32>, %w: tensor<2x2xf32>, %flags: tensor<4x2x1xi1>, %on: tensor<4xi1>)
    -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<4x2x2xf32>, tensor<4x2x2xf32>) {
  %each = graph.scan 4 carry (%h = %h0) over (%f = %flags) using (%v = %w) : (tensor<2x2xf32>, tensor<4x2x1xi1>, tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = graph.matmul %h, %v : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %1 = graph.where %f, %0, %h : tensor<2x1xi1>, tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    graph.yield %1 : tensor<2x2xf32>
  }
  %cheap = graph.scan 4 carry (%h = %h0) over (%f = %on) : (tensor<2x2xf32>, tensor<4xi1>) -> tensor<2x2xf32> {
    %0 = graph.tanh %h : tensor<2x2xf32>
    %1 = graph.where %f, %0, %h : tensor<i1>, tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    graph.yield %1 : tensor<2x2xf32>
  }
  %read:2 = graph.scan 4 carry (%h = %h0) over (%f = %on) using (%v = %w) : (tensor<2x2xf32>, tensor<4xi1>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<4x2x2xf32>) {
    %0 = graph.matmul %h, %v : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %1 = graph.where %f, %0, %h : tensor<i1>, tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    graph.yield %1, %0 : tensor<2x2xf32>, tensor<2x2xf32>
  }
  %chained:2 = graph.scan 4 carry (%h = %h0) over (%f = %on) using (%v = %w) : (tensor<2x2xf32>, tensor<4xi1>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<4x2x2xf32>) {
    %0 = graph.matmul %h, %v : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %1 = graph.where %f, %0, %h : tensor<i1>, tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %2 = graph.exp %1 : tensor<2x2xf32>
    %3 = graph.matmul %2, %v : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %4 = graph.where %f, %3, %h : tensor<i1>, tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    graph.yield %4, %2 : tensor<2x2xf32>, tensor<2x2xf32>
  }
  %flag = graph.constant dense<false> : tensor<i1>
  %5 = graph.matmul %h0, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %6 = graph.where %flag, %5, %h0 : tensor<i1>, tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  return %each, %cheap, %read#0, %6, %read#1, %chained#1 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<4x2x2xf32>, tensor<4x2x2xf32>
}
