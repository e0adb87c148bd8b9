// RUN: mlc-opt %s --expand-math --target=x86-64-v3 | filecheck %s

// What is a bf16 already is cut, not rounded, and who widens it reads the number itself.
// CHECK-LABEL: func.func @chosen(
// CHECK:      %[[X:.*]] = arith.bitcast %{{.*}} : vector<4xi32> to vector<4xf32>
// CHECK-NEXT: %[[L:.*]] = arith.cmpf ole, %[[X]], %[[Z:.*]] : vector<4xf32>
// CHECK-NEXT: %[[A:.*]] = arith.select %[[L]], %[[Z]], %[[X]] : vector<4xi1>, vector<4xf32>
// CHECK-NEXT: %[[S:.*]] = arith.select %{{.*}}, %[[A]], %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK-NEXT: %[[N:.*]] = arith.negf %[[S]]
// CHECK-NOT:  arith.addi
// CHECK:      arith.shrui
// CHECK-NEXT: arith.trunci
// CHECK-NEXT: arith.bitcast
// CHECK-NEXT: return
func.func @chosen(%x: vector<4xbf16>, %m: vector<4xi1>) -> vector<4xbf16> {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %six = arith.constant dense<6.0> : vector<4xf32>
  %0 = arith.extf %x : vector<4xbf16> to vector<4xf32>
  %1 = arith.maximumf %0, %zero : vector<4xf32>
  %2 = arith.truncf %1 : vector<4xf32> to vector<4xbf16>
  %3 = arith.extf %2 : vector<4xbf16> to vector<4xf32>
  %4 = arith.select %m, %3, %six : vector<4xi1>, vector<4xf32>
  %5 = arith.truncf %4 : vector<4xf32> to vector<4xbf16>
  %6 = arith.extf %5 : vector<4xbf16> to vector<4xf32>
  %7 = arith.negf %6 : vector<4xf32>
  %8 = arith.truncf %7 : vector<4xf32> to vector<4xbf16>
  return %8 : vector<4xbf16>
}

// The largest of many, which a loop carries.
// CHECK-LABEL: func.func @carried(
// CHECK-NOT: arith.addi
// CHECK: return
func.func @carried(%x: memref<8xbf16>) -> bf16 {
  %low = arith.constant 0xFF800000 : f32
  %0 = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %low) -> (f32) {
    %1 = loop.load %x[%k] : memref<8xbf16>
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.maximumf %2, %acc : f32
    loop.yield %3 : f32
  }
  %4 = arith.truncf %0 : f32 to bf16
  return %4 : bf16
}

// Other numbers are rounded: sums, constants that are no bf16, what was an f16, and what starts or goes on as such.
// CHECK-LABEL: func.func @sum(
// CHECK: arith.addi
// CHECK-LABEL: func.func @constant(
// CHECK: arith.addi
// CHECK-LABEL: func.func @other(
// CHECK: arith.addi
// CHECK-LABEL: func.func @other_choice(
// CHECK: arith.addi
// CHECK-LABEL: func.func @starts(
// CHECK: arith.addi
// CHECK-LABEL: func.func @goes_on(
// CHECK: arith.addi
func.func @sum(%x: bf16) -> bf16 {
  %0 = arith.extf %x : bf16 to f32
  %1 = arith.addf %0, %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  return %2 : bf16
}
func.func @constant(%x: bf16) -> bf16 {
  %c = arith.constant 0.1 : f32
  %0 = arith.extf %x : bf16 to f32
  %1 = arith.maximumf %0, %c : f32
  %2 = arith.truncf %1 : f32 to bf16
  return %2 : bf16
}
func.func @other(%x: f16) -> bf16 {
  %0 = arith.extf %x : f16 to f32
  %1 = arith.truncf %0 : f32 to bf16
  return %1 : bf16
}
func.func @other_choice(%m: i1, %x: bf16, %y: f32) -> bf16 {
  %0 = arith.extf %x : bf16 to f32
  %1 = arith.select %m, %y, %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  return %2 : bf16
}
func.func @starts(%x: memref<8xbf16>, %low: f32) -> bf16 {
  %0 = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %low) -> (f32) {
    %1 = loop.load %x[%k] : memref<8xbf16>
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.maximumf %2, %acc : f32
    loop.yield %3 : f32
  }
  %4 = arith.truncf %0 : f32 to bf16
  return %4 : bf16
}
func.func @goes_on(%x: memref<8xf32>) -> bf16 {
  %low = arith.constant 0xFF800000 : f32
  %0 = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %low) -> (f32) {
    %1 = loop.load %x[%k] : memref<8xf32>
    %3 = arith.maximumf %1, %acc : f32
    loop.yield %3 : f32
  }
  %4 = arith.truncf %0 : f32 to bf16
  return %4 : bf16
}
