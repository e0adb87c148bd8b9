// RUN: mlc-opt %s --target x86-64-v3 --lower-to-llvm | filecheck %s

// A buffer of index holds integers as wide as addresses.
// CHECK-LABEL: @mlc_main
// CHECK: llvm.store %{{.*}}, %{{.*}} : i64, !llvm.ptr
// CHECK: %[[I:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: llvm.add %{{.*}}, %[[I]] : i64
// CHECK-NOT: index
func.func @main(%x: memref<8xi64>, %y: memref<8xi64> {mlc.output}) {
  %t = memref.alloc() : memref<8xindex>
  affine.for %i = 0 to 8 {
    affine.store %i, %t[%i] : memref<8xindex>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %t[%i] : memref<8xindex>
    %w = arith.index_cast %v : index to i64
    %a = affine.load %x[%i] : memref<8xi64>
    %s = arith.addi %a, %w : i64
    affine.store %s, %y[%i] : memref<8xi64>
  }
  return
}
