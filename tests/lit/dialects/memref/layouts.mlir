// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK: memref.global "private" @data : memref<4xf32>
memref.global "private" @data : memref<4xf32>

// CHECK-LABEL: @layouts
func.func @layouts(%m: memref<8x16x4xf32>, %n: index, %d: memref<?x4xf32>) {
  // CHECK-NEXT: memref.subview
  %0 = memref.subview %m[2, 0, 1] [4, 8, 1] [1, 2, 1]
       : memref<8x16x4xf32> to memref<4x8x1xf32, strided<[64, 8, 1], offset: 129>>
  // CHECK-NEXT: memref.subview
  %1 = memref.subview %m[2, 0, 1] [4, 1, 1] [1, 2, 1] : memref<8x16x4xf32> to memref<4xf32, strided<[64], offset: 129>>
  // CHECK-NEXT: memref.subview
  %2 = memref.subview %m[%n, 0, 1] [1, 1, 3] [1, 1, 1]
       : memref<8x16x4xf32> to memref<1x3xf32, strided<[64, 1], offset: ?>>
  // CHECK-NEXT: memref.reinterpret_cast
  %3 = memref.reinterpret_cast %d to offset: [%n], sizes: [4, 2], strides: [2, 1]
       : memref<?x4xf32> to memref<4x2xf32, strided<[2, 1], offset: ?>>
  // CHECK-NEXT: memref.expand_shape
  %4 = memref.expand_shape %m [[0, 1], [2], [3]] output_shape [2, 4, 16, 4]
       : memref<8x16x4xf32> into memref<2x4x16x4xf32>
  // CHECK-NEXT: memref.collapse_shape
  %5 = memref.collapse_shape %d [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  // CHECK-NEXT: memref.get_global @data
  %6 = memref.get_global @data : memref<4xf32>
  return
}
