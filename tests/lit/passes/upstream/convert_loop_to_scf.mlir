// RUN: mlc-opt %s --convert-loop-to-scf | filecheck %s

// One global for each data, however often it is used.
// CHECK: memref.global "private" constant @constant : memref<4xf32> = dense<{{.*}}> {alignment = 64 : i64}

// CHECK-LABEL: @sum(%x: memref<64x79xf32>, %y: memref<64xf32> {mlc.output}) {
// CHECK:         %[[M0:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %[[M64:.*]] = arith.constant 64 : index
// CHECK-NEXT:    %[[M1:.*]] = arith.constant 1 : index
// CHECK-NEXT:    scf.parallel (%m) = (%[[M0]]) to (%[[M64]]) step (%[[M1]]) {
// CHECK:           %[[K2:.*]] = arith.constant 2 : index
// CHECK-NEXT:      %sum = scf.for %k = %{{.*}} to %{{.*}} step %[[K2]] iter_args(%acc = %z) -> (f32) {
// CHECK-NEXT:        %[[AT:.*]] = affine.apply affine_map<(d0) -> ((d0 + 1))> (%k)
// CHECK-NEXT:        %a = memref.load %x[%m, %[[AT]]] : memref<64x79xf32>
// CHECK-NEXT:        %next = arith.addf %acc, %a : f32
// CHECK-NEXT:        scf.yield %next : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.store %sum, %y[%m] : memref<64xf32>
// CHECK-NEXT:      scf.reduce
func.func private @sum(%x: memref<64x79xf32>, %y: memref<64xf32> {mlc.output}) {
  %z = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 64 {
    %sum = loop.for serial "k" %k = 0 to 78 step 2 iter_args(%acc = %z) -> (f32) {
      %a = loop.load %x[%m, %k + 1] : memref<64x79xf32>
      %next = arith.addf %acc, %a : f32
      loop.yield %next : f32
    }
    loop.store %sum, %y[%m] : memref<64xf32>
  }
  return
}

// CHECK-LABEL: @vectors(
// CHECK:         scf.parallel
// CHECK:           %v = vector.load %x[%n] : memref<64xf32>, vector<16xf32>
// CHECK-NEXT:      %[[C:.*]] = arith.constant 48 : index
// CHECK-NEXT:      vector.store %v, %y[%[[C]]] : memref<64xf32>, vector<16xf32>
func.func private @vectors(%x: memref<64xf32>, %y: memref<64xf32> {mlc.output}) {
  loop.for threads "n" %n = 0 to 16 step 16 {
    %v = loop.load %x[%n] : memref<64xf32>, vector<16xf32>
    loop.store %v, %y[48] : memref<64xf32>, vector<16xf32>
  }
  return
}

// CHECK-LABEL: @first_lanes(
// CHECK:         %[[LOAD:.*]] = arith.constant dense<[true, true, true, false]> : vector<4xi1>
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT:    %[[V:.*]] = vector.maskedload %x[%{{.*}}], %[[LOAD]], %[[ZERO]] : memref<3xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:         %[[STORE:.*]] = arith.constant dense<[true, true, true, false]> : vector<4xi1>
// CHECK-NEXT:    vector.maskedstore %y[%{{.*}}], %[[STORE]], %[[V]] : memref<3xf32>, vector<4xi1>, vector<4xf32>
func.func private @first_lanes(%x: memref<3xf32>, %y: memref<3xf32> {mlc.output}) {
  %v = loop.load %x[0] active 3 : memref<3xf32>, vector<4xf32>
  loop.store %v, %y[0] active 3 : memref<3xf32>, vector<4xf32>
  return
}

// CHECK-LABEL: @constants(
// CHECK-NEXT:    %a = memref.get_global @constant : memref<4xf32>
// CHECK-NEXT:    %b = memref.get_global @constant : memref<4xf32>
func.func @constants(%y: memref<4xf32> {mlc.output}) {
  %a = loop.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> to memref<4xf32>
  %b = loop.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> to memref<4xf32>
  func.call @use(%a, %b, %y) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  return
}

func.func private @use(%a: memref<4xf32>, %b: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  return
}
