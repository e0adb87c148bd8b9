// RUN: mlc-opt %s | mlc-opt - | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt - | filecheck %s
// RUN: mlc-opt %s --plan-memory --convert-loop-to-llvm --emit=llvm-ir | filecheck %s --check-prefix=LLVM
// RUN: mlc-opt %s --convert-loop-to-scf | filecheck %s --check-prefix=SCF

// CHECK-LABEL: @limits
// CHECK: loop.for parallel "m" %{{.*}} = 0 to 64 limit %[[N:.*]] step 8 {
// CHECK: loop.for serial "k" %{{.*}} = 0 to 64 limit %[[N]] by 16 iter_args(
// CHECK: loop.for serial "k" %{{.*}} = 48 to 64 limit %[[N]] iter_args(

// The end of a loop is the lesser of both. One that may have no iteration at all is entered after a test.
// LLVM-LABEL: @mlc_limits(
// LLVM:      [[LESS:%.*]] = icmp slt i64 [[N:%.*]], 64
// LLVM-NEXT: [[END:%.*]] = select i1 [[LESS]], i64 [[N]], i64 64
// LLVM-NEXT: br label %[[BODY:.*]]
// LLVM:      [[BODY]]:
// LLVM:      [[NEXT:%.*]] = add nuw nsw i64 %{{.*}}, 8
// LLVM-NEXT: [[MORE:%.*]] = icmp slt i64 [[NEXT]], [[END]]
// LLVM-NEXT: br i1 [[MORE]], label %[[BODY]]
// LLVM:      br label %[[SECOND:b[0-9]+]]
// LLVM:      [[SECOND]]:
// LLVM:      [[RUNS:%.*]] = icmp slt i64 48, [[LAST:%.*]]
// LLVM-NEXT: br i1 [[RUNS]], label %[[THIRD:.*]], label %[[AFTER:.*]]
// LLVM:      [[AFTER]]:
// LLVM-NEXT: phi float [ %{{.*}}, %{{.*}} ], [ %{{.*}}, %{{.*}} ]

// SCF-LABEL: @limits
// SCF: %[[ONE:.*]] = arith.constant 1 : index
// SCF: %[[MOST:.*]] = arith.maxsi %[[LIMIT:.*]], %{{.*}} : index
// SCF: %[[STOP:.*]] = arith.minsi %{{.*}}, %[[MOST]] : index
// SCF: scf.parallel (%{{.*}}) = (%{{.*}}) to (%[[STOP]])
func.func @limits(%x: memref<64xf32>, %n: memref<i64>, %s: memref<f32> {mlc.output}) {
  %length = loop.load %n[] : memref<i64>
  %limit = arith.index_cast %length : i64 to index
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc() : memref<64xf32>
  loop.for parallel "m" %m = 0 to 64 limit %limit step 8 {
    loop.for parallel "mi" %mi = 0 to 8 {
      %a = loop.load %x[%m + %mi] : memref<64xf32>
      loop.store %a, %y[%m + %mi] : memref<64xf32>
    }
  }
  %sum = loop.for serial "k" %k = 0 to 64 limit %limit by 16 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %y[%k] : memref<64xf32>
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  %rest = loop.for serial "k" %k = 48 to 64 limit %limit iter_args(%acc = %sum) -> (f32) {
    %a = loop.load %y[%k] : memref<64xf32>
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  loop.store %rest, %s[] : memref<f32>
  func.return
}
