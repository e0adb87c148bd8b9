// RUN: mlc-opt %s --split-input-file --write-in-place --check-each | filecheck %s
// RUN: mlc-opt %s --split-input-file --write-in-place --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// Both parts are stored where they go, seen with the axes that their kernels have; nothing is left to copy.
// CHECK-LABEL: @negate(%x: memref<6x2xf32>, %out: memref<6x5xf32> {mlc.output}) attributes {schedule
// CHECK: loop.store %{{.*}}, %out[%m, %n] : memref<6x5xf32>
// CHECK-LABEL: @double(%x: memref<2x3x3xf32>, %out: memref<2x3x5xf32> {mlc.output})
// CHECK: loop.store %{{.*}}, %out[%b, %m, %n + 2] : memref<2x3x5xf32>
// CHECK-NOT: @concat
// CHECK-LABEL: @both
// CHECK-NEXT: %[[A:.*]] = memref.reinterpret_cast %out to {{.*}} sizes: [6, 5]
// CHECK-NEXT: func.call @negate(%x, %[[A]])
// CHECK-NEXT: func.call @double(%y, %out)
// CHECK-NEXT: return
// REMARK: 'negate' stores its result where 'concat' would copy it to
// REMARK: 'double' stores its result where 'concat' would copy it to
func.func private @negate(%x: memref<6x2xf32>, %out: memref<6x2xf32> {mlc.output})
    attributes { schedule = #loop.schedule<[vectorize(n)]> } {
  loop.for parallel "m" %m = 0 to 6 {
    loop.for parallel "n" %n = 0 to 2 {
      %0 = loop.load %x[%m, %n] : memref<6x2xf32>
      %1 = arith.negf %0 : f32
      loop.store %1, %out[%m, %n] : memref<6x2xf32>
    }
  }
  return
}
func.func private @double(%x: memref<2x3x3xf32>, %out: memref<2x3x3xf32> {mlc.output}) {
  loop.for parallel "b" %b = 0 to 2 {
    loop.for parallel "m" %m = 0 to 3 {
      loop.for parallel "n" %n = 0 to 3 {
        %0 = loop.load %x[%b, %m, %n] : memref<2x3x3xf32>
        %1 = arith.addf %0, %0 : f32
        loop.store %1, %out[%b, %m, %n] : memref<2x3x3xf32>
      }
    }
  }
  return
}
func.func private @concat(%a: memref<2x3x2xf32>, %b: memref<2x3x3xf32>, %out: memref<2x3x5xf32> {mlc.output}) {
  loop.for parallel "d0" %i = 0 to 2 {
    loop.for parallel "d1" %j = 0 to 3 {
      loop.for parallel "d2" %k = 0 to 2 {
        %0 = loop.load %a[%i, %j, %k] : memref<2x3x2xf32>
        loop.store %0, %out[%i, %j, %k] : memref<2x3x5xf32>
      }
    }
  }
  loop.for parallel "d0" %i = 0 to 2 {
    loop.for parallel "d1" %j = 0 to 3 {
      loop.for parallel "d2" %k = 0 to 3 {
        %0 = loop.load %b[%i, %j, %k] : memref<2x3x3xf32>
        loop.store %0, %out[%i, %j, %k + 2] : memref<2x3x5xf32>
      }
    }
  }
  return
}
func.func @both(%x: memref<6x2xf32>, %y: memref<2x3x3xf32>, %out: memref<2x3x5xf32> {mlc.output}) {
  %0 = memref.alloc() : memref<6x2xf32>
  func.call @negate(%x, %0) : (memref<6x2xf32>, memref<6x2xf32>) -> ()
  %1 = memref.reinterpret_cast %0 to offset: [0], sizes: [2, 3, 2], strides: [6, 2, 1]
      : memref<6x2xf32> to memref<2x3x2xf32>
  %2 = memref.alloc() : memref<2x3x3xf32>
  func.call @double(%y, %2) : (memref<2x3x3xf32>, memref<2x3x3xf32>) -> ()
  func.call @concat(%1, %2, %out) : (memref<2x3x2xf32>, memref<2x3x3xf32>, memref<2x3x5xf32>) -> ()
  return
}

// -----

// A concatenation in a concatenation is computed in place, too. The kernel has a variant for each place; the input is
// copied. The larger buffer comes first now.
// CHECK: func.func private @negate(%x: memref<4xf32>, %out: memref<16xf32> {mlc.output})
// CHECK: loop.store %{{.*}}, %out[%m + 4]
// CHECK: func.func private @negate_in_concat(%x: memref<4xf32>, %out: memref<16xf32> {mlc.output})
// CHECK: loop.store %{{.*}}, %out[%m] :
// CHECK: func.func private @outer(%b: memref<8xf32>, %out: memref<16xf32> {mlc.output})
// CHECK-NOT: %a
// CHECK: loop.load %b[%i]
// CHECK: loop.store %{{.*}}, %out[%i + 8]
// CHECK-LABEL: @nested
// CHECK-NEXT: %[[Z:.*]] = memref.alloc() : memref<16xf32>
// CHECK-NEXT: call @negate_in_concat(%x, %[[Z]])
// CHECK-NEXT: call @negate(%y, %[[Z]])
// CHECK-NEXT: call @outer(%w, %[[Z]])
// CHECK-NEXT: call @sum(%[[Z]], %out)
// REMARK: operand 1 of 'outer' is copied: it is not a buffer of this function
func.func private @negate(%x: memref<4xf32>, %out: memref<4xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    %0 = loop.load %x[%m] : memref<4xf32>
    %1 = arith.negf %0 : f32
    loop.store %1, %out[%m] : memref<4xf32>
  }
  return
}
func.func private @concat(%a: memref<4xf32>, %b: memref<4xf32>, %out: memref<8xf32> {mlc.output}) {
  loop.for parallel "d0" %i = 0 to 4 {
    %0 = loop.load %a[%i] : memref<4xf32>
    loop.store %0, %out[%i] : memref<8xf32>
  }
  loop.for parallel "d0" %i = 0 to 4 {
    %0 = loop.load %b[%i] : memref<4xf32>
    loop.store %0, %out[%i + 4] : memref<8xf32>
  }
  return
}
func.func private @outer(%a: memref<8xf32>, %b: memref<8xf32>, %out: memref<16xf32> {mlc.output}) {
  loop.for parallel "d0" %i = 0 to 8 {
    %0 = loop.load %a[%i] : memref<8xf32>
    loop.store %0, %out[%i] : memref<16xf32>
  }
  loop.for parallel "d0" %i = 0 to 8 {
    %0 = loop.load %b[%i] : memref<8xf32>
    loop.store %0, %out[%i + 8] : memref<16xf32>
  }
  return
}
func.func private @sum(%x: memref<16xf32>, %out: memref<1xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %0 = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
    %1 = loop.load %x[%k] : memref<16xf32>
    %2 = arith.addf %acc, %1 : f32
    loop.yield %2 : f32
  }
  loop.store %0, %out[0] : memref<1xf32>
  return
}
func.func @nested(%x: memref<4xf32>, %y: memref<4xf32>, %w: memref<8xf32>, %out: memref<1xf32> {mlc.output}) {
  %0 = memref.alloc() : memref<4xf32>
  func.call @negate(%x, %0) : (memref<4xf32>, memref<4xf32>) -> ()
  %1 = memref.alloc() : memref<4xf32>
  func.call @negate(%y, %1) : (memref<4xf32>, memref<4xf32>) -> ()
  %2 = memref.alloc() : memref<8xf32>
  func.call @concat(%0, %1, %2) : (memref<4xf32>, memref<4xf32>, memref<8xf32>) -> ()
  %3 = memref.alloc() : memref<16xf32>
  func.call @outer(%2, %w, %3) : (memref<8xf32>, memref<8xf32>, memref<16xf32>) -> ()
  func.call @sum(%3, %out) : (memref<16xf32>, memref<1xf32>) -> ()
  return
}

// -----

// A value that has other readers is copied; so is one whose kernel reads it again.
// CHECK-LABEL: func.func private @scan
// CHECK-SAME: memref<4xf32> {mlc.output}
// CHECK-LABEL: @readers
// CHECK: call @negate(%x, %[[A:.*]]) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK: call @negate(%[[A]], %other)
// CHECK: call @scan(%x, %[[B:.*]]) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK: call @concat(%[[A]], %[[B]], %out)
// REMARK: operand 0 of 'concat' is copied: it has other readers
// REMARK: operand 1 of 'concat' is copied: 'scan' reads what it has stored
func.func private @negate(%x: memref<4xf32>, %out: memref<4xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    %0 = loop.load %x[%m] : memref<4xf32>
    %1 = arith.negf %0 : f32
    loop.store %1, %out[%m] : memref<4xf32>
  }
  return
}
func.func private @scan(%x: memref<4xf32>, %out: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[0] : memref<4xf32>
  loop.store %0, %out[0] : memref<4xf32>
  loop.for serial "m" %m = 0 to 3 {
    %1 = loop.load %out[%m] : memref<4xf32>
    %2 = loop.load %x[%m + 1] : memref<4xf32>
    %3 = arith.addf %1, %2 : f32
    loop.store %3, %out[%m + 1] : memref<4xf32>
  }
  return
}
func.func private @concat(%a: memref<4xf32>, %b: memref<4xf32>, %out: memref<8xf32> {mlc.output}) {
  loop.for parallel "d0" %i = 0 to 4 {
    %0 = loop.load %a[%i] : memref<4xf32>
    loop.store %0, %out[%i] : memref<8xf32>
  }
  loop.for parallel "d0" %i = 0 to 4 {
    %0 = loop.load %b[%i] : memref<4xf32>
    loop.store %0, %out[%i + 4] : memref<8xf32>
  }
  return
}
func.func @readers(%x: memref<4xf32>, %out: memref<8xf32> {mlc.output}, %other: memref<4xf32> {mlc.output}) {
  %0 = memref.alloc() : memref<4xf32>
  func.call @negate(%x, %0) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @negate(%0, %other) : (memref<4xf32>, memref<4xf32>) -> ()
  %1 = memref.alloc() : memref<4xf32>
  func.call @scan(%x, %1) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @concat(%0, %1, %out) : (memref<4xf32>, memref<4xf32>, memref<8xf32>) -> ()
  return
}

// -----

// Not copies of a whole argument to a place of its own: half of it, one over the other, a scheduled kernel. And a
// buffer that is in use before the copy, and axes that do not fit.
// CHECK-LABEL: @others
// CHECK-COUNT-6: call @negate(%x, %{{.*}}) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK: call @half
// CHECK: call @over
// CHECK: call @scheduled
// CHECK: call @append
// CHECK: call @transposed
// REMARK-NOT: {{half|over|scheduled}}
// REMARK: operand 0 of 'transposed' is copied: 'negate' computes it with other axes, memref<4xf32>
// REMARK: operand 0 of 'append' is copied: the buffer that it is copied to is in use before
// REMARK-NOT: {{half|over|scheduled}}
func.func private @negate(%x: memref<4xf32>, %out: memref<4xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    %0 = loop.load %x[%m] : memref<4xf32>
    %1 = arith.negf %0 : f32
    loop.store %1, %out[%m] : memref<4xf32>
  }
  return
}
func.func private @half(%a: memref<4xf32>, %out: memref<8xf32> {mlc.output}) {
  loop.for parallel "d0" %i = 0 to 2 {
    %0 = loop.load %a[%i] : memref<4xf32>
    loop.store %0, %out[%i] : memref<8xf32>
  }
  return
}
func.func private @over(%a: memref<4xf32>, %b: memref<4xf32>, %out: memref<8xf32> {mlc.output}) {
  loop.for parallel "d0" %i = 0 to 4 {
    %0 = loop.load %a[%i] : memref<4xf32>
    loop.store %0, %out[%i] : memref<8xf32>
  }
  loop.for parallel "d0" %i = 0 to 4 {
    %0 = loop.load %b[%i] : memref<4xf32>
    loop.store %0, %out[%i + 3] : memref<8xf32>
  }
  return
}
func.func private @scheduled(%a: memref<4xf32>, %out: memref<8xf32> {mlc.output})
    attributes { schedule = #loop.schedule<[vectorize(d0)]> } {
  loop.for parallel "d0" %i = 0 to 4 {
    %0 = loop.load %a[%i] : memref<4xf32>
    loop.store %0, %out[%i] : memref<8xf32>
  }
  return
}
func.func private @append(%a: memref<4xf32>, %out: memref<8xf32> {mlc.output}) {
  loop.for parallel "d0" %i = 0 to 4 {
    %0 = loop.load %a[%i] : memref<4xf32>
    loop.store %0, %out[%i + 4] : memref<8xf32>
  }
  return
}
func.func private @transposed(%a: memref<2x2xf32>, %out: memref<2x3xf32> {mlc.output}) {
  loop.for parallel "d0" %i = 0 to 2 {
    loop.for parallel "d1" %j = 0 to 2 {
      %0 = loop.load %a[%i, %j] : memref<2x2xf32>
      loop.store %0, %out[%i, %j] : memref<2x3xf32>
    }
  }
  return
}
func.func private @others(%x: memref<4xf32>, %o0: memref<8xf32> {mlc.output}, %o1: memref<8xf32> {mlc.output},
    %o2: memref<8xf32> {mlc.output}, %o3: memref<2x3xf32> {mlc.output}) {
  %0 = memref.alloc() : memref<4xf32>
  %1 = memref.alloc() : memref<4xf32>
  %2 = memref.alloc() : memref<4xf32>
  %3 = memref.alloc() : memref<4xf32>
  %4 = memref.alloc() : memref<4xf32>
  %5 = memref.alloc() : memref<4xf32>
  func.call @negate(%x, %0) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @negate(%x, %1) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @negate(%x, %2) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @negate(%x, %3) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @negate(%x, %4) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @negate(%x, %5) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @half(%0, %o0) : (memref<4xf32>, memref<8xf32>) -> ()
  func.call @over(%1, %2, %o1) : (memref<4xf32>, memref<4xf32>, memref<8xf32>) -> ()
  func.call @scheduled(%3, %o2) : (memref<4xf32>, memref<8xf32>) -> ()
  func.call @append(%5, %o0) : (memref<4xf32>, memref<8xf32>) -> ()
  %6 = memref.reinterpret_cast %4 to offset: [0], sizes: [2, 2], strides: [2, 1] : memref<4xf32> to memref<2x2xf32>
  func.call @transposed(%6, %o3) : (memref<2x2xf32>, memref<2x3xf32>) -> ()
  return
}

// -----

// One value at two places: its kernel can store it at one of them only.
// CHECK-LABEL: @twice
// CHECK: call @negate(%x, %[[A:.*]]) :
// CHECK: call @concat(%[[A]], %[[A]], %out)
// REMARK: operand 0 of 'concat' is copied: it has other readers
func.func private @negate(%x: memref<4xf32>, %out: memref<4xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    %0 = loop.load %x[%m] : memref<4xf32>
    %1 = arith.negf %0 : f32
    loop.store %1, %out[%m] : memref<4xf32>
  }
  return
}
func.func private @concat(%a: memref<4xf32>, %b: memref<4xf32>, %out: memref<8xf32> {mlc.output}) {
  loop.for parallel "d0" %i = 0 to 4 {
    %0 = loop.load %a[%i] : memref<4xf32>
    loop.store %0, %out[%i] : memref<8xf32>
  }
  loop.for parallel "d0" %i = 0 to 4 {
    %0 = loop.load %b[%i] : memref<4xf32>
    loop.store %0, %out[%i + 4] : memref<8xf32>
  }
  return
}
func.func @twice(%x: memref<4xf32>, %out: memref<8xf32> {mlc.output}) {
  %0 = memref.alloc() : memref<4xf32>
  func.call @negate(%x, %0) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @concat(%0, %0, %out) : (memref<4xf32>, memref<4xf32>, memref<8xf32>) -> ()
  return
}

// -----

// What goes on with a copy of an argument changes the argument where it was computed. A producer that reads what it has
// stored may store it elsewhere, as long as that is not a part of something larger.
// CHECK-LABEL: @copies_and_adds_rest(%i: memref<1xindex>, %out: memref<4xf32> {mlc.output})
// CHECK-NEXT: %[[I:.*]] = loop.load %i[0]
// CHECK-LABEL: @in_place
// CHECK-NEXT: call @negate(%x, %out)
// CHECK-NEXT: call @copies_and_adds_rest(%i, %out)
// CHECK-NEXT: call @copies_and_adds_rest(%i, %out)
// CHECK-NEXT: return
// REMARK: 'copies_and_adds' stores its result where 'copies_and_adds' would copy it to
// REMARK: 'negate' stores its result where
func.func private @negate(%x: memref<4xf32>, %out: memref<4xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    %0 = loop.load %x[%m] : memref<4xf32>
    %1 = arith.negf %0 : f32
    loop.store %1, %out[%m] : memref<4xf32>
  }
  return
}
func.func private @copies_and_adds(%a: memref<4xf32>, %i: memref<1xindex>, %out: memref<4xf32> {mlc.output}) {
  loop.for parallel "d0" %d = 0 to 4 {
    %0 = loop.load %a[%d] : memref<4xf32>
    loop.store %0, %out[%d] : memref<4xf32>
  }
  %at = loop.load %i[0] : memref<1xindex>
  %view = memref.reinterpret_cast %out to offset: [0], sizes: [2, 2], strides: [2, 1] : memref<4xf32> to memref<2x2xf32>
  loop.for serial "m" %m = 0 to 2 {
    %0 = loop.load %view[%m, 1] : memref<2x2xf32>
    %1 = arith.addf %0, %0 : f32
    loop.store %1, %view[%m, 1] : memref<2x2xf32>
  }
  return
}
func.func @in_place(%x: memref<4xf32>, %i: memref<1xindex>, %out: memref<4xf32> {mlc.output}) {
  %0 = memref.alloc() : memref<4xf32>
  func.call @negate(%x, %0) : (memref<4xf32>, memref<4xf32>) -> ()
  %1 = memref.alloc() : memref<4xf32>
  func.call @copies_and_adds(%0, %i, %1) : (memref<4xf32>, memref<1xindex>, memref<4xf32>) -> ()
  func.call @copies_and_adds(%1, %i, %out) : (memref<4xf32>, memref<1xindex>, memref<4xf32>) -> ()
  return
}

// -----

// Copied: an input, a value that is read again, and one whose copy is changed before all of it is there.
// CHECK-LABEL: func.func @kept_copies(
// CHECK-NEXT: call @copy_and_add(%x, %o0)
// CHECK: call @negate(%x, %0)
// CHECK-NEXT: call @copy_and_add(%0, %o1)
// CHECK: call @negate(%x, %1)
// CHECK-NEXT: call @late(%1, %o3)
// REMARK: operand 0 of 'copy_and_add' is copied: it has other readers
// REMARK: operand 0 of 'copy_and_add' is copied: it is not a buffer of this function
func.func private @negate(%x: memref<4xf32>, %out: memref<4xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    %0 = loop.load %x[%m] : memref<4xf32>
    %1 = arith.negf %0 : f32
    loop.store %1, %out[%m] : memref<4xf32>
  }
  return
}
func.func private @copy_and_add(%a: memref<4xf32>, %out: memref<4xf32> {mlc.output}) {
  loop.for parallel "d0" %d = 0 to 4 {
    %0 = loop.load %a[%d] : memref<4xf32>
    loop.store %0, %out[%d] : memref<4xf32>
  }
  %0 = loop.load %out[0] : memref<4xf32>
  %1 = arith.addf %0, %0 : f32
  loop.store %1, %out[3] : memref<4xf32>
  return
}
func.func private @late(%a: memref<4xf32>, %out: memref<4xf32> {mlc.output}) {
  %0 = arith.constant 1.0 : f32
  loop.store %0, %out[3] : memref<4xf32>
  loop.for parallel "d0" %d = 0 to 4 {
    %1 = loop.load %a[%d] : memref<4xf32>
    loop.store %1, %out[%d] : memref<4xf32>
  }
  return
}
func.func @kept_copies(%x: memref<4xf32>, %o0: memref<4xf32> {mlc.output}, %o1: memref<4xf32> {mlc.output}, %o2: memref<4xf32> {mlc.output}, %o3: memref<4xf32> {mlc.output}) {
  func.call @copy_and_add(%x, %o0) : (memref<4xf32>, memref<4xf32>) -> ()
  %0 = memref.alloc() : memref<4xf32>
  func.call @negate(%x, %0) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @copy_and_add(%0, %o1) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @negate(%0, %o2) : (memref<4xf32>, memref<4xf32>) -> ()
  %1 = memref.alloc() : memref<4xf32>
  func.call @negate(%x, %1) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @late(%1, %o3) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// An argument is changed where it lies, if the output is the same memory; else it is copied first.

// CHECK-LABEL: func.func private @put(%at: memref<1xi64>
// CHECK-NOT: %cache
// CHECK-LABEL: func.func @step
// CHECK-NEXT: %[[P:.*]] = memref.extract_aligned_pointer_as_index %cache
// CHECK-NEXT: %[[Q:.*]] = memref.extract_aligned_pointer_as_index %out
// CHECK-NEXT: %[[APART:.*]] = arith.cmpi ne, %[[P]], %[[Q]] : index
// CHECK-NEXT: scf.if %[[APART]] {
// CHECK: %[[E:.*]] = loop.load %cache[%{{.*}}, %{{.*}}]
// CHECK-NEXT: loop.store %[[E]], %out[
// CHECK: func.call @put(%at, %new, %out)
// REMARK: 'put' changes operand cache where it lies
func.func private @put(%c: memref<4x2xf32>, %at: memref<1xi64>, %new: memref<2xf32>, %out: memref<4x2xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 2 {
      %0 = loop.load %c[%m, %n] : memref<4x2xf32>
      loop.store %0, %out[%m, %n] : memref<4x2xf32>
    }
  }
  loop.for parallel "n" %n = 0 to 2 {
    %1 = loop.load %new[%n] : memref<2xf32>
    loop.store %1, %out[2, %n] : memref<4x2xf32>
  }
  return
}
func.func @step(%cache: memref<4x2xf32>, %at: memref<1xi64>, %new: memref<2xf32>, %out: memref<4x2xf32> {mlc.output, mlc.donated = 0 : i64}) {
  func.call @put(%cache, %at, %new, %out) : (memref<4x2xf32>, memref<1xi64>, memref<2xf32>, memref<4x2xf32>) -> ()
  return
}

// -----

// Not where it is read again.

// CHECK-LABEL: func.func @again
// CHECK: func.call @set(%cache, %out)
// REMARK: operand 0 of 'set' is copied: it is read once more
func.func private @set(%c: memref<4xf32>, %out: memref<4xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    %0 = loop.load %c[%m] : memref<4xf32>
    loop.store %0, %out[%m] : memref<4xf32>
  }
  %1 = arith.constant 0.0 : f32
  loop.store %1, %out[2] : memref<4xf32>
  return
}
func.func private @negate4(%c: memref<4xf32>, %out: memref<4xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    %0 = loop.load %c[%m] : memref<4xf32>
    %1 = arith.negf %0 : f32
    loop.store %1, %out[%m] : memref<4xf32>
  }
  return
}
func.func @again(%cache: memref<4xf32>, %out: memref<4xf32> {mlc.output, mlc.donated = 0 : i64}, %other: memref<4xf32> {mlc.output}) {
  func.call @set(%cache, %out) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @negate4(%cache, %other) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
