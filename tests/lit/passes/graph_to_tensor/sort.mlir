// RUN: mlc-opt %s --convert-graph-to-tensor --check-each | filecheck %s

// Keys are integers in the order of the floats: one zero, and one NaN behind all.
// CHECK-LABEL: func.func private @argsort(
// CHECK: %[[KEYS:.*]] = tensor.map {{.*}} -> tensor<3x1x200xi32>
// CHECK: arith.cmpf oeq
// CHECK-NEXT: arith.select
// CHECK-NEXT: arith.bitcast
// CHECK: arith.cmpf uno
// CHECK: tensor.argsort %{{.*}} first 200 : tensor<3x200xi32> -> tensor<3x200xi64>
func.func @long_rows(%x: tensor<3x200xf32>) -> tensor<3x200xi64> {
  %0 = graph.argsort %x axis 1 first 200 : tensor<3x200xf32> -> tensor<3x200xi64>
  return %0 : tensor<3x200xi64>
}

// Of another axis, the rows are columns; descending is ascending of keys with all bits flipped.
// CHECK-LABEL: func.func private @argsort_1(
// CHECK: tensor.map %{{.*}}[b, n, m] over (b: 1, m: 3, n: 200) : tensor<1x200x3xi64> -> tensor<1x3x200xi64>
// CHECK: arith.xori
// CHECK-NEXT: tensor.yield
// CHECK: tensor.argsort %{{.*}} first 100 : tensor<3x200xi64> -> tensor<3x100xi64>
// CHECK: tensor.map %{{.*}}[b, n, m] over (b: 1, m: 100, n: 3)
func.func @columns(%x: tensor<200x3xi64>) -> tensor<100x3xi64> {
  %0 = graph.argsort %x axis 0 descending first 100 : tensor<200x3xi64> -> tensor<100x3xi64>
  return %0 : tensor<100x3xi64>
}

// A small part of a row is selected, its keys are sorted, and the positions put in that order.
// CHECK-LABEL: func.func private @argsort_2(
// CHECK: %[[WANTED:.*]] = tensor.top_k %[[ALL:.*]] first 3 : tensor<3x200xi32> -> tensor<3x3xi64>
// CHECK-NEXT: tensor.take %[[ALL]][m, i] at (i = %[[WANTED]][m, n])
// CHECK: %[[ORDER:.*]] = tensor.map
// CHECK: tensor.take %[[WANTED]][m, i] at (i = %[[ORDER]][m, n])
func.func @few_of_many(%x: tensor<3x200xf32>) -> tensor<3x3xi64> {
  %0 = graph.argsort %x axis 1 first 3 : tensor<3x200xf32> -> tensor<3x3xi64>
  return %0 : tensor<3x3xi64>
}

// Few elements are compared with each other, in sums over pairs.
// CHECK-LABEL: func.func private @argsort_3(
// CHECK: tensor.reduce add {{.*}} over (m: 3, n: 20) reduce (k: 20)
// CHECK: tensor.reduce add {{.*}} over (m: 3, n: 4) reduce (k: 20)
// CHECK-NOT: tensor.argsort
func.func @short_rows(%x: tensor<3x20xf32>) -> tensor<3x4xi64> {
  %0 = graph.argsort %x axis 1 first 4 : tensor<3x20xf32> -> tensor<3x4xi64>
  return %0 : tensor<3x4xi64>
}
