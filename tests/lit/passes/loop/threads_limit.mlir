// RUN: mlc-opt %s --plan-memory --convert-loop-to-llvm --emit=llvm-ir | filecheck %s

// A task after the limit does nothing; the first one is always done, but for a loop with a start, where a task that ends
// before it does nothing either.
// CHECK-LABEL: define weak_odr hidden void @main_m(
// CHECK-SAME: i64 [[LIMIT:%[0-9]+]]
// CHECK: [[END:%.*]] = call i64 @llvm.smax.i64(i64 [[LIMIT]], i64 1)
// CHECK: [[WITHIN:%.*]] = icmp slt i64 %{{.*}}, [[END]]
// CHECK: br i1 [[WITHIN]]
// CHECK: store float
// CHECK-LABEL: define weak_odr hidden void @window_m(
// CHECK: [[BEFORE:%.*]] = icmp slt i64 [[M:%.*]], %
// CHECK: [[NEXT:%.*]] = add i64 [[M]], 8
// CHECK: [[REACHED:%.*]] = icmp sgt i64 [[NEXT]], %
// CHECK: [[INSIDE:%.*]] = and i1 [[BEFORE]], [[REACHED]]
// CHECK: br i1 [[INSIDE]]
func.func @main(%x: memref<64xf32>, %n: memref<i64>, %y: memref<f32> {mlc.output}) {
  %length = loop.load %n[] : memref<i64>
  %limit = arith.index_cast %length : i64 to index
  %zero = arith.constant 0.0 : f32
  %b = memref.alloc() : memref<64xf32>
  loop.for threads "m" %m = 0 to 64 limit %limit step 8 {
    loop.for parallel "mi" %mi = 0 to 8 {
      %a = loop.load %x[%m + %mi] : memref<64xf32>
      loop.store %a, %b[%m + %mi] : memref<64xf32>
    }
  }
  %sum = loop.for serial "k" %k = 0 to 64 limit %limit iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %b[%k] : memref<64xf32>
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  loop.store %sum, %y[] : memref<f32>
  return
}
func.func @window(%x: memref<64xf32>, %from: memref<i64>, %y: memref<64xf32> {mlc.output}) {
  %first = loop.load %from[] : memref<i64>
  %start = arith.index_cast %first : i64 to index
  %limit = arith.constant 64 : index
  loop.for threads "m" %m = 0 to 64 from %start limit %limit by 8 step 8 {
    loop.for parallel "mi" %mi = 0 to 8 {
      %a = loop.load %x[%m + %mi] : memref<64xf32>
      loop.store %a, %y[%m + %mi] : memref<64xf32>
    }
  }
  return
}
