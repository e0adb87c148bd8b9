// RUN: mlc-opt %s | mlc-opt - | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt - | filecheck %s
// RUN: mlc-opt %s --plan-memory --convert-loop-to-llvm --emit=llvm-ir | filecheck %s --check-prefix=LLVM
// RUN: mlc-opt %s --convert-loop-to-scf | filecheck %s --check-prefix=SCF

// CHECK-LABEL: @starts
// CHECK: loop.for parallel "m" %{{.*}} = 0 to 64 from %[[S:.*]] limit %[[N:.*]] by 4 step 8 {
// CHECK: loop.for serial "k" %{{.*}} = 0 to 48 from %[[S]] limit %[[N]] by 4 iter_args(
// CHECK: loop.for serial "k" %{{.*}} = 48 to 64 from %[[S]] limit %[[N]] by 4 iter_args(

// A loop begins at the last value of its counter that is not above the start, and may have no iteration.
// LLVM-LABEL: @mlc_starts(
// LLVM:      [[LATER:%.*]] = icmp slt i64 0, [[S:%.*]]
// LLVM-NEXT: [[LEAST:%.*]] = select i1 [[LATER]], i64 [[S]], i64 0
// LLVM-NEXT: [[BEYOND:%.*]] = sub nsw i64 [[LEAST]], 0
// LLVM-NEXT: [[BLOCKS:%.*]] = udiv i64 [[BEYOND]], 8
// LLVM-NEXT: [[MORE:%.*]] = mul nsw i64 [[BLOCKS]], 8
// LLVM-NEXT: [[FIRST:%.*]] = add nsw i64 0, [[MORE]]
// LLVM-NEXT: [[RUNS:%.*]] = icmp slt i64 [[FIRST]], %{{.*}}
// LLVM-NEXT: br i1 [[RUNS]], label %[[BODY:.*]], label %
// LLVM:      [[BODY]]:
// LLVM-NEXT: phi i64 [ [[FIRST]], %

// SCF-LABEL: @starts
// SCF: %[[STOP:.*]] = arith.minsi
// SCF: %[[LEAST:.*]] = arith.maxsi %{{.*}}, %[[LOWER:.*]] : index
// SCF: %[[BEYOND:.*]] = arith.subi %[[LEAST]], %[[LOWER]] : index
// SCF: %[[BLOCKS:.*]] = arith.divui %[[BEYOND]], %[[STEP:.*]] : index
// SCF: %[[MORE:.*]] = arith.muli %[[BLOCKS]], %[[STEP]] : index
// SCF: %[[FIRST:.*]] = arith.addi %[[LOWER]], %[[MORE]] : index
// SCF: scf.parallel (%{{.*}}) = (%[[FIRST]]) to (%{{.*}})
func.func @starts(%x: memref<64xf32>, %from: memref<i64>, %n: memref<i64>, %s: memref<f32> {mlc.output}) {
  %length = loop.load %n[] : memref<i64>
  %limit = arith.index_cast %length : i64 to index
  %first = loop.load %from[] : memref<i64>
  %start = arith.index_cast %first : i64 to index
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc() : memref<64xf32>
  loop.for parallel "m" %m = 0 to 64 from %start limit %limit by 4 step 8 {
    loop.for parallel "mi" %mi = 0 to 8 {
      %a = loop.load %x[%m + %mi] : memref<64xf32>
      loop.store %a, %y[%m + %mi] : memref<64xf32>
    }
  }
  %sum = loop.for serial "k" %k = 0 to 48 from %start limit %limit by 4 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %y[%k] : memref<64xf32>
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  %rest = loop.for serial "k" %k = 48 to 64 from %start limit %limit by 4 iter_args(%acc = %sum) -> (f32) {
    %a = loop.load %y[%k] : memref<64xf32>
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  loop.store %rest, %s[] : memref<f32>
  func.return
}
