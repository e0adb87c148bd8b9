// Upstream reads what is printed, and what it prints is read as the same.
// REQUIRES: mlir-opt
// RUN: mlc-opt %S/buffers.mlir | mlir-opt | mlc-opt | filecheck %s

// CHECK: memref.global "private" constant @data : memref<2x2xf32> = dense<{{.*}}> {alignment = 64 : i64}
// CHECK: memref.global @counts : memref<16xi32> = uninitialized
// CHECK: memref.global "private" @elsewhere : memref<4xf32> {a}
// CHECK: memref.global @held : memref<2xf32> = dense_resource<w>
// CHECK: memref.cast
// CHECK: memref.memory_space_cast
// CHECK: memref.copy
// CHECK: memref.rank
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: memref.atomic_rmw addf
// CHECK: memref.atomic_rmw maxs
