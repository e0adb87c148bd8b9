// RUN: mlc-opt %s --forward-stores --split-input-file | filecheck %s --check-prefix=FORWARD
// RUN: mlc-opt %s --plan-memory --split-input-file | filecheck %s --check-prefix=PLAN
// RUN: mlc-opt %s --write-in-place --pack="argument=z loop=k" --plan-memory --lower-to-llvm --split-input-file | filecheck %s
// NO-CHECK-EACH: the reference runs functions of one block only

// Functions that have blocks of their own already. Within a block, what was stored is known; of blocks in front of it
// nothing is. Buffers keep their places from the start to the end, since blocks may run again.
// FORWARD-LABEL: func.func private @blocks(
// FORWARD: ^a:
// FORWARD: %[[V:.*]] = loop.load %x[0]
// FORWARD: loop.store %[[V]], %y[1]
// FORWARD: ^b:
// FORWARD: %[[W:.*]] = loop.load %t[0]
// FORWARD-NEXT: loop.store %[[W]], %y[0]
// PLAN-LABEL: func.func private @blocks(
// PLAN-SAME: memref<128xi8> {mlc.workspace}) {
// PLAN: %[[O:.*]] = arith.constant 0 : index
// PLAN-NEXT: memref.view %workspace[%[[O]]]
// PLAN: ^a:
// PLAN: %[[P:.*]] = arith.constant 64 : index
// PLAN-NEXT: memref.view %workspace[%[[P]]]
// CHECK-LABEL: llvm.func {{.*}}@blocks(
// CHECK: llvm.cond_br
func.func private @blocks(%c: i1, %x: memref<4xf32>, %z: memref<4xf32>, %y: memref<4xf32> {mlc.output},
    %o: memref<4xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<4xf32>
  loop.store %zero, %t[0] : memref<4xf32>
  cf.cond_br %c, ^a, ^b
^a:
  %u = memref.alloc() : memref<4xf32>
  %v = loop.load %x[0] : memref<4xf32>
  loop.store %v, %u[0] : memref<4xf32>
  %p = loop.load %u[0] : memref<4xf32>
  loop.store %p, %y[1] : memref<4xf32>
  loop.store %p, %t[0] : memref<4xf32>
  cf.br ^b
^b:
  %w = loop.load %t[0] : memref<4xf32>
  loop.store %w, %y[0] : memref<4xf32>
  loop.for parallel "k" %k = 0 to 4 step 2 {
    loop.for parallel "ki" %ki = 0 to 2 {
      %d = loop.load %z[%k + %ki] : memref<4xf32>
      loop.store %d, %o[%k + %ki] : memref<4xf32>
    }
  }
  return
}
