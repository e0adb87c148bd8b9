// RUN: mlc-opt %s --lower-to-llvm --target=icelake-server | filecheck %s

// A vector of four registers is taken apart once, where it is loaded, and sums are put together for the store alone.

// CHECK-LABEL: llvm.func @mlc_chain(
// CHECK:         %[[A:.*]] = llvm.load {{.*}} -> vector<64xi32>
// CHECK-NEXT:    %[[A0:.*]] = llvm.shufflevector %[[A]], %[[A]] [0, 1, 2, {{.*}}, 15] : vector<64xi32>
// CHECK-NEXT:    %[[A1:.*]] = llvm.shufflevector %[[A]], %[[A]] [16, {{.*}}, 31] : vector<64xi32>
// CHECK-NEXT:    %[[A2:.*]] = llvm.shufflevector %[[A]], %[[A]] [32, {{.*}}, 47] : vector<64xi32>
// CHECK-NEXT:    %[[A3:.*]] = llvm.shufflevector %[[A]], %[[A]] [48, {{.*}}, 63] : vector<64xi32>
// CHECK:         %[[ZERO:.*]] = llvm.mlir.constant(dense<0> : vector<16xi32>) : vector<16xi32>
// CHECK:         %[[S0:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[ZERO]], %[[A0]], %[[B0:.*]])
// CHECK-NEXT:    %[[S1:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[ZERO]], %[[A1]], %[[B1:.*]])
// CHECK-NEXT:    %[[S2:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[ZERO]], %[[A2]], %[[B2:.*]])
// CHECK-NEXT:    %[[S3:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[ZERO]], %[[A3]], %[[B3:.*]])
// CHECK-NEXT:    %[[T0:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[S0]], %[[A0]], %[[B0]])
// CHECK-NEXT:    %[[T1:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[S1]], %[[A1]], %[[B1]])
// CHECK-NEXT:    %[[T2:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[S2]], %[[A2]], %[[B2]])
// CHECK-NEXT:    %[[T3:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[S3]], %[[A3]], %[[B3]])
// CHECK-NEXT:    %[[LOW:.*]] = llvm.shufflevector %[[T0]], %[[T1]] [0, {{.*}}, 31] : vector<16xi32>
// CHECK-NEXT:    %[[HIGH:.*]] = llvm.shufflevector %[[T2]], %[[T3]] [0, {{.*}}, 31] : vector<16xi32>
// CHECK-NEXT:    %[[T:.*]] = llvm.shufflevector %[[LOW]], %[[HIGH]] [0, {{.*}}, 63] : vector<32xi32>
// CHECK:         llvm.store %[[T]]
// CHECK-NOT:     llvm.shufflevector
func.func @chain(%x: memref<2x64xi32>, %y: memref<64xi32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<2x64xi32>, vector<64xi32>
  %b = loop.load %x[1, 0] : memref<2x64xi32>, vector<64xi32>
  %zero = arith.constant dense<0> : vector<64xi32>
  %0 = loop.dot %a, %b, %zero of ui8, i8 : vector<64xi32>, vector<64xi32>
  %1 = loop.dot %a, %b, %0 of ui8, i8 : vector<64xi32>, vector<64xi32>
  loop.store %1, %y[0] : memref<64xi32>, vector<64xi32>
  return
}

// What another op takes, too, is put together for it. Halves that a person writes, in another order, are shuffled.

// CHECK-LABEL: llvm.func @mlc_others(
// CHECK:         %[[S:.*]] = llvm.shufflevector {{.*}} : vector<16xi32>
// CHECK-NEXT:    %[[DOUBLE:.*]] = llvm.add %[[S]], %[[S]] {{.*}}: vector<32xi32>
// CHECK-NEXT:    %[[D0:.*]] = llvm.shufflevector %[[DOUBLE]], %[[DOUBLE]] [0, {{.*}}, 15] : vector<32xi32>
// CHECK-NEXT:    %[[D1:.*]] = llvm.shufflevector %[[DOUBLE]], %[[DOUBLE]] [16, {{.*}}, 31] : vector<32xi32>
// CHECK-NEXT:    %[[SWAPPED:.*]] = llvm.shufflevector %[[S]], %[[S]] [16, {{.*}}, 15] : vector<32xi32>
// CHECK-NEXT:    llvm.shufflevector %[[SWAPPED]], %[[SWAPPED]] [0, {{.*}}, 15] : vector<32xi32>
// CHECK-NEXT:    llvm.shufflevector %[[SWAPPED]], %[[SWAPPED]] [16, {{.*}}, 31] : vector<32xi32>
func.func @others(%x: memref<2x32xi32>, %y: memref<2x32xi32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<2x32xi32>, vector<32xi32>
  %b = loop.load %x[1, 0] : memref<2x32xi32>, vector<32xi32>
  %0 = loop.dot %a, %b, %b of ui8, i8 : vector<32xi32>, vector<32xi32>
  %1 = arith.addi %0, %0 : vector<32xi32>
  %2 = vector.shuffle %0, %0 [16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<32xi32>, vector<32xi32>
  %3 = loop.dot %2, %b, %1 of ui8, i8 : vector<32xi32>, vector<32xi32>
  loop.store %3, %y[0, 0] : memref<2x32xi32>, vector<32xi32>
  loop.store %1, %y[1, 0] : memref<2x32xi32>, vector<32xi32>
  return
}

// Sums that a loop carries are taken apart at its start, and a vector from outside of it outside.

// CHECK-LABEL: llvm.func @mlc_carried(
// CHECK:         llvm.load {{.*}} -> vector<32xi32>
// CHECK-NEXT:    llvm.shufflevector
// CHECK-NEXT:    llvm.shufflevector
// CHECK:       ^bb{{[0-9]+}}(%{{.*}}: i64, %[[SUM:.*]]: vector<32xi32>):
// CHECK-NEXT:    llvm.shufflevector %[[SUM]], %[[SUM]] [0, {{.*}}, 15] : vector<32xi32>
// CHECK-NEXT:    llvm.shufflevector %[[SUM]], %[[SUM]] [16, {{.*}}, 31] : vector<32xi32>
func.func @carried(%x: memref<8x32xi32>, %y: memref<32xi32> {mlc.output}) {
  %a = loop.load %x[0, 0] : memref<8x32xi32>, vector<32xi32>
  %zero = arith.constant dense<0> : vector<32xi32>
  %sum = loop.for serial "k" %k = 1 to 8 iter_args(%s = %zero) -> (vector<32xi32>) {
    %b = loop.load %x[%k, 0] : memref<8x32xi32>, vector<32xi32>
    %0 = loop.dot %a, %b, %s of ui8, i8 : vector<32xi32>, vector<32xi32>
    loop.yield %0 : vector<32xi32>
  }
  loop.store %sum, %y[0] : memref<32xi32>, vector<32xi32>
  return
}
