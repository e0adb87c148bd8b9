// RUN: mlc-opt %s --convert-loop-to-llvm | filecheck %s

// A kernel: pointers that do not overlap, addresses built from the outer loops inwards, no test before a loop.

// CHECK:      llvm.func weak_odr hidden @row_sums(
// CHECK-SAME:   %x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly, llvm.dereferenceable = 19968 : i64},
// CHECK-SAME:   %y: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.dereferenceable = 256 : i64}) {
func.func private @row_sums(%x: memref<64x78xf32>, %y: memref<64xf32> {mlc.output}) {
  %z = arith.constant 0.0 : f32
  // CHECK:        llvm.br ^[[M:.*]](%{{.*}} : i64)
  // CHECK-NEXT: ^[[M]](%m: i64):
  // CHECK-NEXT:   %[[ROW:.*]] = llvm.getelementptr inbounds %x[%m] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<78 x f32>
  loop.for parallel "m" %m = 0 to 64 {
    // CHECK:        llvm.br ^[[K:.*]](%{{.*}}, %z : i64, f32)
    // CHECK-NEXT: ^[[K]](%k: i64, %c: f32):
    // CHECK-NEXT:   %[[AT:.*]] = llvm.getelementptr inbounds %[[ROW]][%k] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    // CHECK-NEXT:   %a = llvm.load %[[AT]] : !llvm.ptr -> f32
    // CHECK-NEXT:   %[[NEXT:.*]] = llvm.getelementptr inbounds %[[AT]][1] : (!llvm.ptr) -> !llvm.ptr, f32
    // CHECK-NEXT:   %b = llvm.load %[[NEXT]]
    %sum = loop.for serial "k" %k = 0 to 78 step 2 iter_args(%c = %z) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<64x78xf32>
      %b = loop.load %x[%m, %k + 1] : memref<64x78xf32>
      // CHECK-NEXT: llvm.fadd %a, %b : f32
      %d = arith.addf %a, %b : f32
      // CHECK-NEXT: llvm.fadd %c, %d {fastmathFlags = #llvm.fastmath<contract>} : f32
      %e = arith.addf %c, %d fastmath<contract> : f32
      // CHECK:      %[[MORE:.*]] = llvm.icmp "ult"
      // CHECK-NEXT: llvm.cond_br %[[MORE]], ^[[K]](%{{.*}}, %e : i64, f32), ^[[AFTER:.*]]
      loop.yield %e : f32
    }
    // CHECK-NEXT: ^[[AFTER]]:
    // CHECK:        llvm.store %e, %{{.*}} : f32, !llvm.ptr
    loop.store %sum, %y[%m] : memref<64xf32>
  }
  // CHECK: llvm.return
  return
}

// An entry: the addresses of its buffers come out of the artifact's arrays, constants are symbols.

// CHECK:      llvm.mlir.global private constant @constant_0(dense<1.000000e+00> : tensor<4xf32>)
// CHECK-LABEL: llvm.func @mlc_main(
// CHECK-SAME:   %inputs: !llvm.ptr {llvm.nocapture, llvm.readonly}, %outputs: !llvm.ptr {llvm.nocapture, llvm.readonly},
// CHECK-SAME:   %workspace: !llvm.ptr) -> i32 {
func.func @main(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}, %w: memref<128xi8> {mlc.workspace}) {
  // CHECK-NEXT: %[[IN:.*]] = llvm.getelementptr inbounds %inputs[0]
  // CHECK-NEXT: %[[X:.*]] = llvm.load %[[IN]] : !llvm.ptr -> !llvm.ptr
  // CHECK-NEXT: %[[OUT:.*]] = llvm.getelementptr inbounds %outputs[0]
  // CHECK-NEXT: %[[Y:.*]] = llvm.load %[[OUT]] : !llvm.ptr -> !llvm.ptr
  // CHECK:      %[[ONES:.*]] = llvm.mlir.addressof @constant_0 : !llvm.ptr
  %ones = loop.constant dense<1.0> : tensor<4xf32> to memref<4xf32>
  // CHECK:      %[[T:.*]] = llvm.getelementptr inbounds %workspace[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %bytes = arith.constant 64 : index
  %t = memref.view %w[%bytes][] : memref<128xi8> to memref<4xf32>
  // CHECK-NEXT: llvm.call @add(%[[X]], %[[ONES]], %[[T]])
  func.call @add(%x, %ones, %t) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  func.call @add(%t, %x, %y) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  // CHECK:      %[[ZERO:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK-NEXT: llvm.return %[[ZERO]] : i32
  return
}

func.func private @add(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32> {mlc.output}) {
  %0 = loop.load %a[0] : memref<4xf32>, vector<4xf32>
  %1 = loop.load %b[0] : memref<4xf32>, vector<4xf32>
  %2 = arith.addf %0, %1 : vector<4xf32>
  loop.store %2, %c[0] : memref<4xf32>, vector<4xf32>
  return
}

// Iterations for threads: a function for the body, one that the hook calls, and the call of the hook.

// CHECK-LABEL: llvm.func weak_odr hidden @spread_i(
// CHECK-LABEL: llvm.func weak_odr hidden @spread_i_task(%context: !llvm.ptr, %index: i64)
// CHECK:         llvm.call @spread_i(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> ()
// CHECK-LABEL: llvm.func weak_odr hidden @spread(
// CHECK:         %[[TASK:.*]] = llvm.mlir.addressof @spread_i_task : !llvm.ptr
// CHECK:         llvm.call @mlc_parallel_for(%[[TASK]], %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64) -> ()
func.func private @spread(%x: memref<8xi32> {mlc.output}) {
  %c = arith.constant 7 : i32
  loop.for threads "i" %i = 0 to 8 {
    loop.store %c, %x[%i] : memref<8xi32>
  }
  return
}

// Loops that are spread together: 3 x 8 tasks, of which number i is for column 4 + i mod 8 of row i div 8 * 2.

// CHECK-LABEL: llvm.func weak_odr hidden @together_m_n(
// CHECK-SAME:  %m_{{[0-9]+}}: i64, %n: i64)
// CHECK-LABEL: llvm.func weak_odr hidden @together_m_n_task(
// CHECK-SAME:  %[[INDEX:index_[0-9]+]]: i64)
// CHECK:         %[[EIGHT:.*]] = llvm.mlir.constant(8) : i64
// CHECK-NEXT:    %[[COLUMN:.*]] = llvm.urem %[[INDEX]], %[[EIGHT]] : i64
// CHECK-NEXT:    %[[ROW:.*]] = llvm.udiv %[[INDEX]], %[[EIGHT]] : i64
// CHECK-NEXT:    %[[ONE:.*]] = llvm.mlir.constant(1) : i64
// CHECK-NEXT:    %[[FOUR:.*]] = llvm.mlir.constant(4) : i64
// CHECK-NEXT:    %[[SCALED:.*]] = llvm.mul %[[COLUMN]], %[[ONE]] : i64
// CHECK-NEXT:    %[[N:.*]] = llvm.add %[[SCALED]], %[[FOUR]] : i64
// CHECK-NEXT:    %[[TWO:.*]] = llvm.mlir.constant(2) : i64
// CHECK-NEXT:    %[[ZERO:.*]] = llvm.mlir.constant(0) : i64
// CHECK-NEXT:    %[[SCALED:.*]] = llvm.mul %[[ROW]], %[[TWO]] : i64
// CHECK-NEXT:    %[[M:.*]] = llvm.add %[[SCALED]], %[[ZERO]] : i64
// CHECK-NEXT:    llvm.call @together_m_n(%{{.*}}, %[[M]], %[[N]]) : (!llvm.ptr, i64, i64) -> ()
// CHECK-LABEL: llvm.func weak_odr hidden @together(
// CHECK:         %[[TASKS:.*]] = llvm.mlir.constant(24) : i64
// CHECK:         llvm.call @mlc_parallel_for(%{{.*}}, %{{.*}}, %[[TASKS]])
func.func private @together(%x: memref<6x12xi32> {mlc.output}) {
  %c = arith.constant 7 : i32
  loop.for threads "m" %m = 0 to 6 step 2 {
    loop.for threads "n" %n = 4 to 12 {
      loop.store %c, %x[%m, %n] : memref<6x12xi32>
    }
  }
  return
}

// A limit is that of all of them: two tasks, 12 iterations each. A loop with a limit of its own is not spread with others.

// CHECK:         llvm.func weak_odr hidden @at_most_two_m(
// CHECK-LABEL: llvm.func weak_odr hidden @at_most_two(
// CHECK:         %[[TASKS:.*]] = llvm.mlir.constant(2) : i64
// CHECK:         llvm.call @mlc_parallel_for(%{{.*}}, %{{.*}}, %[[TASKS]])
// CHECK:         %[[TASKS:.*]] = llvm.mlir.constant(3) : i64
// CHECK:         llvm.call @mlc_parallel_for(%{{.*}}, %{{.*}}, %[[TASKS]])
func.func private @at_most_two(%x: memref<6x12xi32> {mlc.output}, %y: memref<6x12xi32> {mlc.output}) {
  %c = arith.constant 7 : i32
  loop.for threads "m" %m = 0 to 6 step 2 attributes {most_threads = 2 : i64} {
    loop.for threads "n" %n = 4 to 12 {
      loop.store %c, %x[%m, %n] : memref<6x12xi32>
    }
  }
  loop.for threads "m" %m = 0 to 6 step 2 {
    loop.for threads "n" %n = 4 to 12 attributes {most_threads = 2 : i64} {
      loop.store %c, %y[%m, %n] : memref<6x12xi32>
    }
  }
  return
}
// CHECK: llvm.func @mlc_parallel_for(!llvm.ptr, !llvm.ptr, i64)
