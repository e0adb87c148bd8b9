// RUN: mlc-opt %s --target=x86-64-v4 --convert-loop-to-llvm | filecheck %s --check-prefixes=CHECK,MASKS
// RUN: mlc-opt %s --target=x86-64-v3 --convert-loop-to-llvm | filecheck %s --check-prefixes=CHECK,AVX
// RUN: mlc-opt %s --target=x86-64-v2 --convert-loop-to-llvm | filecheck %s --check-prefixes=CHECK,PIECES
// RUN: mlc-opt %s --target=aarch64 --convert-loop-to-llvm | filecheck %s --check-prefixes=CHECK,PIECES

// Eleven lanes of sixteen: one masked instruction, or eight, two and one.
// CHECK-LABEL: @first_lanes
// MASKS: %[[MASK:.*]] = llvm.mlir.constant(dense<[true, true, true, true, true, true, true, true, true, true, true, false, false, false, false, false]> : vector<16xi1>)
// MASKS: %[[ZERO:.*]] = llvm.mlir.constant(dense<0.000000e+00> : vector<16xf32>) : vector<16xf32>
// MASKS-NEXT: llvm.intr.masked.load %x, %[[MASK]], %[[ZERO]] {alignment = 4 : i32}
// MASKS: llvm.intr.masked.store %{{.*}}, %y, %{{.*}} {alignment = 4 : i32} : vector<16xf32>, vector<16xi1> into !llvm.ptr
// AVX: llvm.intr.masked.load
// AVX-NOT: llvm.intr.masked.store
// PIECES: %[[ZERO:.*]] = llvm.mlir.constant(dense<0.000000e+00> : vector<16xf32>) : vector<16xf32>
// PIECES-NEXT: %[[EIGHT:.*]] = llvm.load %x : !llvm.ptr -> vector<8xf32>
// PIECES-NEXT: %[[WIDE:.*]] = llvm.shufflevector %[[EIGHT]], %[[EIGHT]] [0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1, -1, -1, -1, -1] : vector<8xf32>
// PIECES-NEXT: llvm.shufflevector %[[ZERO]], %[[WIDE]] [16, 17, 18, 19, 20, 21, 22, 23, 8, 9, 10, 11, 12, 13, 14, 15] : vector<16xf32>
// PIECES-NEXT: %[[AT:.*]] = llvm.getelementptr inbounds %x[8]
// PIECES-NEXT: llvm.load %[[AT]] : !llvm.ptr -> vector<2xf32>
// PIECES: %[[LAST:.*]] = llvm.getelementptr inbounds %x[10]
// PIECES-NEXT: llvm.load %[[LAST]] : !llvm.ptr -> f32
// PIECES: llvm.insertelement
// PIECES: llvm.store %{{.*}}, %y : vector<8xf32>, !llvm.ptr
// PIECES: llvm.store %{{.*}}, %{{.*}} : vector<2xf32>, !llvm.ptr
// PIECES: llvm.store %{{.*}}, %{{.*}} : f32, !llvm.ptr
func.func private @first_lanes(%x: memref<11xf32>, %y: memref<11xf32> {mlc.output}) {
  %v = loop.load %x[0] active 11 : memref<11xf32>, vector<16xf32>
  loop.store %v, %y[0] active 11 : memref<11xf32>, vector<16xf32>
  return
}

// Half of the lanes are one plain access everywhere.
// CHECK-LABEL: @half
// CHECK-NOT: masked
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK-NOT: masked
// CHECK: llvm.store %{{.*}}, %{{.*}} : vector<8xf32>, !llvm.ptr
func.func private @half(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  %v = loop.load %x[0] active 8 : memref<8xf32>, vector<16xf32>
  loop.store %v, %y[0] active 8 : memref<8xf32>, vector<16xf32>
  return
}

// An i1 takes a byte; only AVX-512 masks bytes.
// CHECK-LABEL: @booleans
// MASKS: llvm.intr.masked.load %{{.*}}, %{{.*}}, %{{.*}} {alignment = 1 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xi8>) -> vector<4xi8>
// MASKS-NEXT: llvm.trunc %{{.*}} : vector<4xi8> to vector<4xi1>
// MASKS-NEXT: llvm.zext %{{.*}} : vector<4xi1> to vector<4xi8>
// MASKS: llvm.intr.masked.store %{{.*}} {alignment = 1 : i32} : vector<4xi8>, vector<4xi1>
// AVX: llvm.load %{{.*}} : !llvm.ptr -> vector<2xi8>
// PIECES: llvm.load %{{.*}} : !llvm.ptr -> vector<2xi8>
func.func private @booleans(%x: memref<3xi1>, %y: memref<3xi1> {mlc.output}) {
  %v = loop.load %x[0] active 3 : memref<3xi1>, vector<4xi1>
  loop.store %v, %y[0] active 3 : memref<3xi1>, vector<4xi1>
  return
}

// Every other element: what lies between is loaded too, but nothing behind the last one.
// CHECK-LABEL: @pairs
// CHECK: %[[LOW:.*]] = llvm.load %[[P:.*]] : !llvm.ptr -> vector<4xf32>
// CHECK-NEXT: %[[AT:.*]] = llvm.getelementptr inbounds %[[P]][3]
// CHECK-NEXT: %[[HIGH:.*]] = llvm.load %[[AT]] : !llvm.ptr -> vector<4xf32>
// CHECK-NEXT: llvm.shufflevector %[[LOW]], %[[HIGH]] [0, 2, 5, 7] : vector<4xf32>
func.func private @pairs(%x: memref<8xf32>, %y: memref<4xf32> {mlc.output}) {
  %v = loop.load %x[1] stride 2 : memref<8xf32>, vector<4xf32>
  loop.store %v, %y[0] : memref<4xf32>, vector<4xf32>
  return
}

// Lanes that are apart are loaded and stored one by one.
// CHECK-LABEL: @column
// CHECK: %[[V0:.*]] = llvm.mlir.poison : vector<2xf32>
// CHECK-NEXT: %[[A:.*]] = llvm.load %[[P:.*]] : !llvm.ptr -> f32
// CHECK-NEXT: llvm.mlir.constant(0) : i64
// CHECK-NEXT: %[[V1:.*]] = llvm.insertelement %[[A]], %[[V0]]
// CHECK-NEXT: %[[NEXT:.*]] = llvm.getelementptr inbounds %[[P]][10]
// CHECK-NEXT: %[[B:.*]] = llvm.load %[[NEXT]] : !llvm.ptr -> f32
// CHECK: %[[V2:.*]] = llvm.insertelement %[[B]], %[[V1]]
// CHECK: %[[C:.*]] = llvm.extractelement %[[V2]]
// CHECK-NEXT: llvm.store %[[C]], %{{.*}} : f32, !llvm.ptr
// CHECK: %[[AT:.*]] = llvm.getelementptr inbounds %{{.*}}[3]
// CHECK: llvm.store %{{.*}}, %[[AT]] : f32, !llvm.ptr
func.func private @column(%x: memref<3x5xf32>, %y: memref<4xf32> {mlc.output}) {
  %v = loop.load %x[0, 1] along 0 stride 2 : memref<3x5xf32>, vector<2xf32>
  loop.store %v, %y[0] stride 3 : memref<4xf32>, vector<2xf32>
  return
}
