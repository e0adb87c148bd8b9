// RUN: mlc-opt %s --fuse --lower-to-tensor --unify-dims --limit-dims="target=znver4" --split-input-file | filecheck %s
// RUN: mlc-opt %s --fuse --lower-to-tensor --unify-dims --limit-dims="target=haswell" --split-input-file | filecheck %s --check-prefix=HASWELL
// RUN: mlc-opt %s -O2 --target=znver4 --emit=mlir:llvm --split-input-file | filecheck %s --check-prefix=CODE

// A mask that counts up to an integer: maximum, exponentials and sums end there, in blocks of the target's lanes, and
// so does what computes the scores and the mask. Rows of values that have no weight are not read.
// CHECK-LABEL: func.func private @compare
// CHECK-SAME: limits = #loop.limits<n: argument 1 by 16>
// CHECK-LABEL: func.func private @attention
// CHECK-SAME: limits = #loop.limits<k1: argument 4 by 16, k2: argument 4 by 16, n: argument 4 by 16>
// CHECK: tensor.contract %q[b, m, k], %x[b, k, n] over (b: 2, m: 1, n: 48) reduce (k: 3)
// CHECK: tensor.reduce maxnum %{{.*}}[b, m, k1]
// CHECK: tensor.contract %{{.*}}[b, m, k2], %v[b, k2, n1]
// CHECK: func.call @compare(%{{.*}}, %{{.*}}) : (tensor<48xi64>, tensor<i64>) -> tensor<48xi1>
// CHECK: func.call @attention(%q, %x, %{{.*}}, %v, %n)
// HASWELL: limits = #loop.limits<n: argument 1 by 8>
// CODE: llvm.func
func.func @main(%q: tensor<2x1x3xf32>, %x: tensor<2x3x48xf32>, %n: tensor<i64>, %v: tensor<2x48x5xf32>) -> tensor<2x1x5xf32> {
  %i = graph.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47]> : tensor<48xi64>
  %in = graph.compare lt, %i, %n : tensor<48xi64>, tensor<i64> -> tensor<48xi1>
  %m = graph.constant dense<0xFF800000> : tensor<f32>
  %s = graph.matmul %q, %x : tensor<2x1x3xf32>, tensor<2x3x48xf32> -> tensor<2x1x48xf32>
  %s2 = graph.where %in, %s, %m : tensor<48xi1>, tensor<2x1x48xf32>, tensor<f32> -> tensor<2x1x48xf32>
  %p = graph.softmax %s2 axis 2 : tensor<2x1x48xf32>
  %o = graph.matmul %p, %v : tensor<2x1x48xf32>, tensor<2x48x5xf32> -> tensor<2x1x5xf32>
  return %o : tensor<2x1x5xf32>
}

// -----

// The place itself belongs to the data, too; what fills a sum is 0. The mask is a result, and computed to its end.
// CHECK-LABEL: func.func private @compare
// CHECK-SAME: -> tensor<48xi1> {
// CHECK-LABEL: func.func private @where_sum
// CHECK-SAME: limits = #loop.limits<k: argument 2 plus 1 by 16, n: argument 2 plus 1 by 16>
// HASWELL: plus 1 by 8
// CODE: llvm.func
func.func @main(%x: tensor<3x48xi32>, %place: tensor<i64>) -> (tensor<3xi32>, tensor<48xi1>) {
  %i = graph.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47]> : tensor<48xi64>
  %in = graph.compare ge, %place, %i : tensor<i64>, tensor<48xi64> -> tensor<48xi1>
  %zero = graph.constant dense<0> : tensor<i32>
  %x0 = graph.where %in, %x, %zero : tensor<48xi1>, tensor<3x48xi32>, tensor<i32> -> tensor<3x48xi32>
  %s = graph.reduce sum %x0 axes [1] : tensor<3x48xi32> -> tensor<3xi32>
  return %s, %in : tensor<3xi32>, tensor<48xi1>
}

// -----

// Callers look at the first rows of a result; of what it is made as many are needed, whose elements lie in one row.
// CHECK-LABEL: func.func private @linear_relu
// CHECK-SAME: limits = #loop.limits<m: argument 3>
// CHECK-LABEL: func.func private @neg
// CHECK-SAME: limits = #loop.limits<n: argument 1 by 16 times 20>
// HASWELL: times 20
// CODE: llvm.func
func.func @main(%x: tensor<6x10xf32>, %w: tensor<10x20xf32>, %b: tensor<20xf32>, %rows: tensor<i64>)
    -> (tensor<6x2x10xf32> {mlc.extents = array<i64: 1, -1, -1>}, tensor<i64>) {
  %0 = graph.matmul %x, %w : tensor<6x10xf32>, tensor<10x20xf32> -> tensor<6x20xf32>
  %1 = graph.add %0, %b : tensor<6x20xf32>, tensor<20xf32> -> tensor<6x20xf32>
  %2 = graph.relu %1 : tensor<6x20xf32>
  %3 = graph.reshape %2 : tensor<6x20xf32> -> tensor<120xf32>
  %4 = graph.neg %3 : tensor<120xf32>
  %5 = graph.reshape %4 : tensor<120xf32> -> tensor<6x2x10xf32>
  return %5, %rows : tensor<6x2x10xf32>, tensor<i64>
}

// -----

// What stays: padding that is not neutral, data after the integer and not before it, places that do not count up, and
// what a caller sees all of.
// CHECK-NOT: limits
// CHECK: func.func @main(%x: tensor<3x48xf32>
// HASWELL-NOT: limits
// HASWELL: func.func @main(%x: tensor<3x48xf32>
// CODE: llvm.func
func.func @main(%x: tensor<3x48xf32>, %n: tensor<i64>, %places: tensor<48xi64>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x48xf32>) {
  %i = graph.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47]> : tensor<48xi64>
  %in = graph.compare lt, %i, %n : tensor<48xi64>, tensor<i64> -> tensor<48xi1>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %x0 = graph.where %in, %x, %zero : tensor<48xi1>, tensor<3x48xf32>, tensor<f32> -> tensor<3x48xf32>
  %max = graph.reduce max %x0 axes [1] : tensor<3x48xf32> -> tensor<3xf32>
  %x1 = graph.where %in, %x, %one : tensor<48xi1>, tensor<3x48xf32>, tensor<f32> -> tensor<3x48xf32>
  %sum = graph.reduce sum %x1 axes [1] : tensor<3x48xf32> -> tensor<3xf32>
  %out = graph.compare lt, %n, %i : tensor<i64>, tensor<48xi64> -> tensor<48xi1>
  %x2 = graph.where %out, %x, %zero : tensor<48xi1>, tensor<3x48xf32>, tensor<f32> -> tensor<3x48xf32>
  %after = graph.reduce sum %x2 axes [1] : tensor<3x48xf32> -> tensor<3xf32>
  %any = graph.compare lt, %places, %n : tensor<48xi64>, tensor<i64> -> tensor<48xi1>
  %x3 = graph.where %any, %x, %zero : tensor<48xi1>, tensor<3x48xf32>, tensor<f32> -> tensor<3x48xf32>
  %some = graph.reduce sum %x3 axes [1] : tensor<3x48xf32> -> tensor<3xf32>
  return %max, %sum, %after, %some, %x0 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x48xf32>
}

// -----

// One kernel with two calls, each of which has an integer of its own.
// CHECK: func.func private @compare(%{{.*}}, %a: tensor<i64>) -> tensor<48xi1> attributes {limits = #loop.limits<n: argument 1 by 16>}
// CHECK: func.func private @matmul_where({{.*}}, %b: tensor<i64>) -> tensor<2x48xf32> attributes {limits = #loop.limits<n: argument 3 by 16>}
// CHECK: func.call @compare(%{{.*}}, %a)
// CHECK: func.call @compare(%{{.*}}, %b)
// HASWELL: limits
// CODE: llvm.func
func.func @main(%x: tensor<2x48xf32>, %w: tensor<2x2xf32>, %a: tensor<i64>, %b: tensor<i64>) -> tensor<2xf32> {
  %i = graph.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47]> : tensor<48xi64>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %first = graph.compare lt, %i, %a : tensor<48xi64>, tensor<i64> -> tensor<48xi1>
  %x0 = graph.where %first, %x, %zero : tensor<48xi1>, tensor<2x48xf32>, tensor<f32> -> tensor<2x48xf32>
  %s = graph.reduce sum %x0 axes [1] : tensor<2x48xf32> -> tensor<2xf32>
  %y = graph.matmul %w, %x : tensor<2x2xf32>, tensor<2x48xf32> -> tensor<2x48xf32>
  %second = graph.compare lt, %i, %b : tensor<48xi64>, tensor<i64> -> tensor<48xi1>
  %y0 = graph.where %second, %y, %zero : tensor<48xi1>, tensor<2x48xf32>, tensor<f32> -> tensor<2x48xf32>
  %t = graph.reduce sum %y0 axes [1] : tensor<2x48xf32> -> tensor<2xf32>
  %r = graph.add %s, %t : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %r : tensor<2xf32>
}
