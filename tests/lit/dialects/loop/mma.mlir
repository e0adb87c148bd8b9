// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s

// Matrices are loaded and stored row by row: the rows run along a dim, perhaps in steps.
// CHECK-LABEL: func.func @product
// CHECK:         %[[A:.*]] = loop.load %x[0, 4] rows 0 : memref<14x64xi8>, vector<14x16xi8>
// CHECK:         %[[WORDS:.*]] = vector.bitcast %[[A]] : vector<14x16xi8> to vector<14x4xi32>
// CHECK:         %[[B:.*]] = loop.load %w[0, 2, 0] rows 1 : memref<3x16x16xi32>, vector<4x16xi32>
// CHECK:         %[[C:.*]] = loop.mma %[[WORDS]], %[[B]], %{{.*}} of ui8, i8 : vector<14x4xi32>, vector<4x16xi32>, vector<14x16xi32>
// CHECK:         loop.store %[[C]], %y[0, 0] rows 0 row_stride 2 : memref<28x16xi32>, vector<14x16xi32>
func.func @product(%x: memref<14x64xi8>, %w: memref<3x16x16xi32>, %y: memref<28x16xi32>) {
  %a = loop.load %x[0, 4] rows 0 : memref<14x64xi8>, vector<14x16xi8>
  %words = vector.bitcast %a : vector<14x16xi8> to vector<14x4xi32>
  %b = loop.load %w[0, 2, 0] rows 1 : memref<3x16x16xi32>, vector<4x16xi32>
  %zero = arith.constant dense<0> : vector<14x16xi32>
  %c = loop.mma %words, %b, %zero of ui8, i8 : vector<14x4xi32>, vector<4x16xi32>, vector<14x16xi32>
  loop.store %c, %y[0, 0] rows 0 row_stride 2 : memref<28x16xi32>, vector<14x16xi32>
  return
}

// CHECK-LABEL: func.func @floats
// CHECK: loop.mma %a, %b, %c of bf16, bf16 : vector<2x3xi32>, vector<3x5xi32>, vector<2x5xf32>
func.func @floats(%a: vector<2x3xi32>, %b: vector<3x5xi32>, %c: vector<2x5xf32>) {
  %d = loop.mma %a, %b, %c of bf16, bf16 : vector<2x3xi32>, vector<3x5xi32>, vector<2x5xf32>
  return
}
