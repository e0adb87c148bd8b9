// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s

// CHECK: memref.global "private" constant @data : memref<2x2xf32> = dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> {alignment = 64 : i64}
memref.global "private" constant @data : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]> {alignment = 64 : i64}
// Zeros of two signs are two numbers.
// CHECK-NEXT: memref.global "private" constant @zeros : memref<2xf32> = dense<"0x0000000000000080">
memref.global "private" constant @zeros : memref<2xf32> = dense<[0.0, -0.0]>
// CHECK-NEXT: memref.global @counts : memref<16xi32> = uninitialized
memref.global @counts : memref<16xi32> = uninitialized
// CHECK-NEXT: memref.global "private" @elsewhere : memref<4xf32> {a}
memref.global "private" @elsewhere : memref<4xf32> {a}
// CHECK-NEXT: memref.global @held : memref<2xf32> = dense_resource<w>
memref.global @held : memref<2xf32> = dense_resource<w>

// CHECK-LABEL: @views
func.func @views(%m: memref<4x?xf32>, %s: memref<4xf32, 1>, %u: memref<*xf32>, %t: memref<4x?xf32, strided<[?, 1]>>) {
  // CHECK-NEXT: memref.cast %m : memref<4x?xf32> to memref<?x8xf32>
  %0 = memref.cast %m : memref<4x?xf32> to memref<?x8xf32>
  // CHECK-NEXT: memref.cast %m : memref<4x?xf32> to memref<*xf32>
  %1 = memref.cast %m : memref<4x?xf32> to memref<*xf32>
  // CHECK-NEXT: memref.memory_space_cast %s : memref<4xf32, 1 : i64> to memref<4xf32>
  %2 = memref.memory_space_cast %s : memref<4xf32, 1> to memref<4xf32>
  // CHECK-NEXT: memref.copy %m, %t : memref<4x?xf32> to memref<4x?xf32, strided<[?, 1]>>
  memref.copy %m, %t : memref<4x?xf32> to memref<4x?xf32, strided<[?, 1]>>
  // CHECK-NEXT: memref.rank %u : memref<*xf32>
  %3 = memref.rank %u : memref<*xf32>
  // CHECK-NEXT: memref.extract_aligned_pointer_as_index %m : memref<4x?xf32> -> index
  %4 = memref.extract_aligned_pointer_as_index %m : memref<4x?xf32> -> index
  return
}

// CHECK-LABEL: @atomic
func.func @atomic(%m: memref<4x4xf32>, %n: memref<i32>, %i: index, %x: f32, %y: i32) {
  // CHECK-NEXT: memref.atomic_rmw addf %x, %m[%i, %i] : (f32, memref<4x4xf32>) -> f32
  %0 = memref.atomic_rmw addf %x, %m[%i, %i] : (f32, memref<4x4xf32>) -> f32
  // CHECK-NEXT: memref.atomic_rmw maxs %y, %n[] {a} : (i32, memref<i32>) -> i32
  %1 = memref.atomic_rmw maxs %y, %n[] {a} : (i32, memref<i32>) -> i32
  // CHECK-NEXT: memref.atomic_rmw assign %y, %n[] : (i32, memref<i32>) -> i32
  %2 = memref.atomic_rmw assign %y, %n[] : (i32, memref<i32>) -> i32
  return
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F00000040"
    }
  }
#-}
