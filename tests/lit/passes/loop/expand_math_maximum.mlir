// RUN: mlc-opt %s --expand-math --target=x86-64-v3 --check-each | filecheck %s
// RUN: mlc-opt %s --expand-math --target=aarch64 --check-each | filecheck %s --check-prefix=ARM

// A number is a limit: NaN is not below it and stays. ARM has an instruction for what is written.
// CHECK-LABEL: @clip
// CHECK:      %[[BELOW:.*]] = arith.cmpf olt, %a, %low : vector<4xf32>
// CHECK-NEXT: %[[UP:.*]] = arith.select %[[BELOW]], %low, %a : vector<4xi1>, vector<4xf32>
// CHECK-NEXT: %[[ABOVE:.*]] = arith.cmpf ogt, %[[UP]], %high : vector<4xf32>
// CHECK-NEXT: arith.select %[[ABOVE]], %high, %[[UP]] : vector<4xi1>, vector<4xf32>
// ARM-LABEL: @clip
// ARM: arith.maximumf
// ARM: arith.minimumf
func.func private @clip(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %low = arith.constant dense<-1.0> : vector<4xf32>
  %six = arith.constant 6.0 : f32
  %high = vector.broadcast %six : f32 to vector<4xf32>
  %a = loop.load %x[0] : memref<4xf32>, vector<4xf32>
  %b = arith.maximumf %low, %a : vector<4xf32>
  %c = arith.minimumf %b, %high : vector<4xf32>
  loop.store %c, %y[0] : memref<4xf32>, vector<4xf32>
  return
}

// 0 is larger than -0, which must not stay; -0 is the smaller one. Of the other two zeros none replaces its like.
// CHECK-LABEL: @zeros
// CHECK: arith.cmpf ole, %a, %zero : f32
// CHECK: arith.cmpf oge, %a, %minus : f32
// CHECK: arith.cmpf olt, %a, %minus : f32
// CHECK: arith.cmpf ogt, %a, %zero : f32
func.func private @zeros(%x: memref<1xf32>, %y: memref<4xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %a = loop.load %x[0] : memref<1xf32>
  %b = arith.maximumf %a, %zero : f32
  %c = arith.minimumf %a, %minus : f32
  %d = arith.maximumf %a, %minus : f32
  %e = arith.minimumf %a, %zero : f32
  loop.store %b, %y[0] : memref<4xf32>
  loop.store %c, %y[1] : memref<4xf32>
  loop.store %d, %y[2] : memref<4xf32>
  loop.store %e, %y[3] : memref<4xf32>
  return
}

// NaN is no limit, nor are lanes that differ, zeros of two signs among them, nor what is read.
// CHECK-LABEL: @unknown
// CHECK-COUNT-4: arith.maximumf
// CHECK-NOT: arith.cmpf
// CHECK: return
func.func private @unknown(%x: memref<4xf32>, %y: memref<16xf32> {mlc.output}) {
  %nan = arith.constant dense<0x7fc00000> : vector<4xf32>
  %lanes = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %zeros = arith.constant dense<[0.0, -0.0, 0.0, -0.0]> : vector<4xf32>
  %a = loop.load %x[0] : memref<4xf32>, vector<4xf32>
  %b = arith.addf %a, %a : vector<4xf32>
  %c = arith.maximumf %a, %nan : vector<4xf32>
  %d = arith.maximumf %a, %lanes : vector<4xf32>
  %e = arith.maximumf %a, %zeros : vector<4xf32>
  %f = arith.maximumf %a, %b : vector<4xf32>
  loop.store %c, %y[0] : memref<16xf32>, vector<4xf32>
  loop.store %d, %y[4] : memref<16xf32>, vector<4xf32>
  loop.store %e, %y[8] : memref<16xf32>, vector<4xf32>
  loop.store %f, %y[12] : memref<16xf32>, vector<4xf32>
  return
}
