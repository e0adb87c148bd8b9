// RUN: not mlc-opt %s --plan-memory 2>&1 | filecheck %s

// The buffer of one round would be that of the next.
// CHECK: plan_memory_blocks_invalid.mlir:7:3: error: plan-memory: a buffer is passed on to a block; required: buffers that a block uses by their names
func.func private @rounds(%c: i1, %y: memref<4xf32> {mlc.output}) {
  %first = memref.alloc() : memref<4xf32>
  cf.br ^round(%first : memref<4xf32>)
^round(%before: memref<4xf32>):
  %now = memref.alloc() : memref<4xf32>
  %a = loop.load %before[0] : memref<4xf32>
  loop.store %a, %now[0] : memref<4xf32>
  cf.cond_br %c, ^round(%now : memref<4xf32>), ^end
^end:
  return
}
