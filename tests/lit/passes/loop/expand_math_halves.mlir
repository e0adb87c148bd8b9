// RUN: mlc-opt %s --expand-math --target=x86-64-v2 | filecheck %s --check-prefixes=CHECK,OLD
// RUN: mlc-opt %s --expand-math --target=x86-64-v3 | filecheck %s --check-prefixes=CHECK,NEW
// RUN: mlc-opt %s --expand-math --target=aarch64 | filecheck %s --check-prefixes=CHECK,NEW

// Conversions of f16 are integer arithmetic where there are no instructions, those of bf16 everywhere.
// CHECK-LABEL: func.func @main(
// OLD-NOT: arith.extf
// OLD: arith.bitcast %{{.*}} : vector<4xf16> to vector<4xi16>
// OLD: arith.bitcast %{{.*}} : vector<4xi16> to vector<4xf16>
// NEW: arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
// NEW: arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: arith.bitcast %{{.*}} : bf16 to i16
// CHECK: arith.shli
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
func.func @main(%x: vector<4xf16>, %y: bf16) -> (vector<4xf16>, bf16) {
  %0 = arith.extf %x : vector<4xf16> to vector<4xf32>
  %1 = arith.truncf %0 : vector<4xf32> to vector<4xf16>
  %2 = arith.extf %y : bf16 to f32
  %3 = arith.truncf %2 : f32 to bf16
  return %1, %3 : vector<4xf16>, bf16
}

// Conversions of f32 and f64 stay.
// CHECK-LABEL: func.func @wide(
// CHECK: arith.truncf %{{.*}} : f64 to f32
func.func @wide(%x: f64) -> f32 {
  %0 = arith.truncf %x : f64 to f32
  return %0 : f32
}
