// REQUIRES: torch
// RUN: mlc-opt %s --convert-aten-to-graph | filecheck %s

// One loop over the rows, then the first pivot that is not greater than 0.

// CHECK-LABEL: func.func @cholesky
// CHECK: graph.scan 3 carry
// CHECK: graph.sqrt
// CHECK-NOT: graph.scan
// CHECK: %[[PIVOTS:.*]] = graph.gather_nd
// CHECK: graph.compare gt
// CHECK-NEXT: graph.not
// CHECK: graph.reduce min
func.func @cholesky(%a: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>) {
  %l, %info = aten.linalg_cholesky_ex %a : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  return %l, %info : tensor<3x3xf32>, tensor<i32>
}

// Substitution from the first row on, the diagonal unread.

// CHECK-LABEL: func.func @triangular
// CHECK: graph.scan 3 carry
// CHECK: graph.matmul
// CHECK-NOT: graph.div
// CHECK: return
func.func @triangular(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %x = aten.linalg_solve_triangular %a, %b {upper = false, unitriangular = true} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %x : tensor<3x2xf32>
}

// Factors, the order of rows, and two substitutions: pivots of torch are numbered from 1 on.

// CHECK-LABEL: func.func @lu_solve
// CHECK: %[[WIDE:.*]] = graph.cast {{.*}} : tensor<1x3xi32> -> tensor<1x3xi64>
// CHECK: graph.sub %[[WIDE]]
// CHECK: graph.max
// CHECK: graph.min
// CHECK-COUNT-3: graph.scan 3 carry
// CHECK-NOT: graph.scan
// CHECK: return
func.func @lu_solve(%lu: tensor<3x3xf32>, %pivots: tensor<3xi32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %x = aten.linalg_lu_solve %lu, %pivots, %b : (tensor<3x3xf32>, tensor<3xi32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %x : tensor<3x2xf32>
}

// Pivots times the sign of their permutation.

// CHECK-LABEL: func.func @det
// CHECK: graph.scan 3 carry
// CHECK: graph.reduce prod
// CHECK: graph.compare ne
// CHECK: graph.rem
func.func @det(%a: tensor<3x3xf32>) -> tensor<f32> {
  %d, %lu, %pivots = aten._linalg_det %a : (tensor<3x3xf32>) -> (tensor<f32>, tensor<3x3xf32>, tensor<3xi32>)
  return %d : tensor<f32>
}

// Only the upper triangle is left to ask for.

// CHECK-LABEL: func.func @triangle
// CHECK: graph.scan 2 carry
// CHECK-NOT: graph.scan
// CHECK: %r = graph.reshape
func.func @triangle(%a: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %q, %r = aten.linalg_qr %a {mode = "r"} : (tensor<3x2xf32>) -> (tensor<0xf32>, tensor<2x2xf32>)
  return %r : tensor<2x2xf32>
}
