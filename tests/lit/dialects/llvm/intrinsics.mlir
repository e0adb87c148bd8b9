// RUN: mlc-opt %s | mlc-opt | filecheck %s

llvm.func @f(%a: f32, %b: f32, %v: vector<4xf32>, %i: i32, %n: vector<4xi32>, %p: !llvm.ptr) {
  // CHECK: llvm.intr.maximum(%a, %b) : (f32, f32) -> f32
  %0 = llvm.intr.maximum(%a, %b) : (f32, f32) -> f32
  // CHECK-NEXT: llvm.intr.minimum(%v, %v) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %1 = llvm.intr.minimum(%v, %v) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  // CHECK-NEXT: llvm.intr.roundeven(%a) : (f32) -> f32
  %2 = llvm.intr.roundeven(%a) : (f32) -> f32
  // CHECK-NEXT: llvm.intr.trunc(%v) : (vector<4xf32>) -> vector<4xf32>
  %3 = llvm.intr.trunc(%v) : (vector<4xf32>) -> vector<4xf32>
  // CHECK-NEXT: llvm.intr.smax(%i, %i) : (i32, i32) -> i32
  %4 = llvm.intr.smax(%i, %i) : (i32, i32) -> i32
  // CHECK-NEXT: llvm.intr.umin(%n, %n) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  %5 = llvm.intr.umin(%n, %n) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  // CHECK-NEXT: llvm.intr.abs(%i) {is_int_min_poison = false} : (i32) -> i32
  %6 = llvm.intr.abs(%i) {is_int_min_poison = false} : (i32) -> i32
  // CHECK-NEXT: llvm.intr.ctlz(%i) {is_zero_poison = true} : (i32) -> i32
  %7 = llvm.intr.ctlz(%i) {is_zero_poison = true} : (i32) -> i32
  // CHECK-NEXT: llvm.intr.vector.reduce.fmaximum(%v) : (vector<4xf32>) -> f32
  %8 = llvm.intr.vector.reduce.fmaximum(%v) : (vector<4xf32>) -> f32
  // CHECK-NEXT: llvm.intr.vector.reduce.fadd(%a, %v) : (f32, vector<4xf32>) -> f32
  %9 = llvm.intr.vector.reduce.fadd(%a, %v) : (f32, vector<4xf32>) -> f32
  // CHECK-NEXT: llvm.intr.vector.reduce.add(%n) : (vector<4xi32>) -> i32
  %10 = llvm.intr.vector.reduce.add(%n) : (vector<4xi32>) -> i32
  // CHECK-NEXT: "llvm.intr.prefetch"(%p) <{rw = 0 : i32, hint = 2 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()
  "llvm.intr.prefetch"(%p) <{rw = 0 : i32, hint = 2 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()
  llvm.return
}
