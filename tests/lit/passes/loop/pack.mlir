// RUN: mlc-opt %s --split-input-file --pack="argument=w loop=n" | filecheck %s
// RUN: mlc-opt %s --split-input-file --pack="argument=w loop=n" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// A constant is packed now: 3 panels of 4 columns, the last one filled up with zeros.
// CHECK-LABEL: func.func private @known(%x: memref<2xf32>, %w: memref<3x2x4xf32>
// CHECK: loop.load %w[%n floordiv 4, %k, %ni]
// CHECK: loop.load %w[%n_1 floordiv 4, 
func.func private @known(%x: memref<2xf32>, %w: memref<2x10xf32>, %y: memref<10xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 8 step 4 {
    loop.for parallel "ni" %ni = 0 to 4 {
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %x[%k] : memref<2xf32>
        %b = loop.load %w[%k, %n + %ni] : memref<2x10xf32>
        %c = math.fma %a, %b, %acc : f32
        loop.yield %c : f32
      }
      loop.store %s, %y[%n + %ni] : memref<10xf32>
    }
  }
  loop.for parallel "n" %n = 8 to 10 step 2 {
    loop.for parallel "ni" %ni = 0 to 2 {
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %x[%k] : memref<2xf32>
        %b = loop.load %w[%k, %n + %ni] : memref<2x10xf32>
        %c = math.fma %a, %b, %acc : f32
        loop.yield %c : f32
      }
      loop.store %s, %y[%n + %ni] : memref<10xf32>
    }
  }
  return
}
// CHECK-LABEL: @main
// CHECK: %w = loop.constant dense_resource<constant.panels4> : tensor<3x2x4xf32> to memref<3x2x4xf32>
// CHECK-NEXT: call @known(%x, %w, %y)
// CHECK: constant.panels4: "0x04000000
// CHECK-SAME: 0000803F00000040000040400000804000003041000040410000504100006041
func.func @main(%x: memref<2xf32>, %y: memref<10xf32> {mlc.output}) {
  %w = loop.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], [11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0]]> : tensor<2x10xf32> to memref<2x10xf32>
  func.call @known(%x, %w, %y) : (memref<2xf32>, memref<2x10xf32>, memref<10xf32>) -> ()
  return
}

// -----

// What is not known is packed by the kernel, across the rows of a transposed operand too, and only what is read of it.
// CHECK-LABEL: func.func private @unknown(%w: memref<8x5xf32>
// CHECK-NEXT: %w_panels = memref.alloc() {alignment = 64 : i64} : memref<2x2x4xf32>
// CHECK-NEXT: loop.for parallel "w_block" %w_block = 0 to 2
// CHECK-NEXT: loop.for parallel "w_0" %[[K:.*]] = 0 to 2
// CHECK-NEXT: loop.for parallel "w_lane" %w_lane = 0 to 4
// CHECK-NEXT: %[[V:.*]] = loop.load %w[%w_block * 4 + %w_lane, %[[K]] + 3] : memref<8x5xf32>
// CHECK-NEXT: loop.store %[[V]], %w_panels[%w_block, %[[K]], %w_lane]
// CHECK: loop.load %w_panels[%n floordiv 4, 0, %ni]
// CHECK: loop.load %w_panels[%n floordiv 4, 1, %ni]
func.func private @unknown(%w: memref<8x5xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 step 4 {
    loop.for parallel "ni" %ni = 0 to 4 {
      %a = loop.load %w[%n + %ni, 3] : memref<8x5xf32>
      loop.store %a, %y[%n + %ni] : memref<8xf32>
      %b = loop.load %w[%n + %ni, 4] : memref<8x5xf32>
      loop.store %b, %y[%n + %ni] : memref<8xf32>
    }
  }
  return
}

// -----

// Heads of whole blocks lie behind one another, and panels start where the part that is read does.
// CHECK-LABEL: func.func private @heads(%w: memref<2x30xf32>
// CHECK-NEXT: %w_panels = memref.alloc() {alignment = 64 : i64} : memref<6x2x4xf32>
// CHECK: loop.load %w[%{{.*}}, %w_block * 4 + %w_lane + 3] : memref<2x30xf32>
// CHECK: loop.load %w_panels[%n floordiv 4 + %h * 2, %k, %ni]
func.func private @heads(%w: memref<2x30xf32>, %y: memref<3x2x8xf32> {mlc.output}) {
  loop.for parallel "h" %h = 0 to 3 {
    loop.for parallel "k" %k = 0 to 2 {
      loop.for parallel "n" %n = 0 to 8 step 4 {
        loop.for parallel "ni" %ni = 0 to 4 {
          %b = loop.load %w[%k, %h * 8 + %n + %ni + 3] : memref<2x30xf32>
          loop.store %b, %y[%h, %k, %n + %ni] : memref<3x2x8xf32>
        }
      }
    }
  }
  return
}

// -----

// Heads that end in the middle of a block do not.
// CHECK-LABEL: func.func private @ragged_heads(%w: memref<18xf32>
// CHECK: loop.load %w[%h * 6 + %n + %ni]
// REMARK: remark: 'w' not packed: a load leaves the blocks of 4 that the loop 'n' is tiled into
func.func private @ragged_heads(%w: memref<18xf32>, %y: memref<3x6xf32> {mlc.output}) {
  loop.for parallel "h" %h = 0 to 3 {
    loop.for parallel "n" %n = 0 to 4 step 4 {
      loop.for parallel "ni" %ni = 0 to 4 {
        %b = loop.load %w[%h * 6 + %n + %ni] : memref<18xf32>
        loop.store %b, %y[%h, %n + %ni] : memref<3x6xf32>
      }
    }
  }
  return
}

// -----

// A window that leaves its block cannot be packed.
// CHECK-LABEL: func.func private @window(%w: memref<9xf32>
// CHECK: loop.load %w[%n + %ni + 1]
// REMARK: remark: 'w' not packed: a load leaves the blocks of 4 that the loop 'n' is tiled into
func.func private @window(%w: memref<9xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 step 4 {
    loop.for parallel "ni" %ni = 0 to 4 {
      %a = loop.load %w[%n + %ni] : memref<9xf32>
      %b = loop.load %w[%n + %ni + 1] : memref<9xf32>
      %c = arith.addf %a, %b : f32
      loop.store %c, %y[%n + %ni] : memref<8xf32>
    }
  }
  return
}

// -----

// REMARK: remark: 'w' not packed: 'loop.store' uses the whole buffer, or vectors of it
func.func private @written(%w: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 step 4 {
    %zero = arith.constant 0.0 : f32
    loop.store %zero, %w[%n] : memref<8xf32>
  }
  return
}

// -----

// REMARK: remark: 'w' not packed: 'other' has no argument 'w'; its arguments are x
func.func private @other(%x: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 step 4 {
    %zero = arith.constant 0.0 : f32
    loop.store %zero, %x[%n] : memref<8xf32>
  }
  return
}

// -----

// Nor can one that starts in the block before, one of blocks that do not start where panels do, or of two axes.
// CHECK-LABEL: func.func private @before(%w: memref<9xf32>
// REMARK: remark: 'w' not packed: a load leaves the blocks of 4 that the loop 'n' is tiled into
func.func private @before(%w: memref<9xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 4 to 8 step 4 {
    loop.for parallel "ni" %ni = 0 to 4 {
      %b = loop.load %w[%n + %ni - 1] : memref<9xf32>
      loop.store %b, %y[%n + %ni] : memref<8xf32>
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func private @shifted(%w: memref<10xf32>
// REMARK: remark: 'w' not packed: a load leaves the blocks of 4 that the loop 'n' is tiled into
func.func private @shifted(%w: memref<10xf32>, %y: memref<10xf32> {mlc.output}) {
  loop.for parallel "n" %n = 2 to 10 step 4 {
    loop.for parallel "ni" %ni = 0 to 4 {
      %b = loop.load %w[%n + %ni] : memref<10xf32>
      loop.store %b, %y[%n + %ni] : memref<10xf32>
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func private @two_axes(%w: memref<8x8xf32>
// REMARK: remark: 'w' not packed: the loop does not run along one axis of it
func.func private @two_axes(%w: memref<8x8xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 step 4 {
    loop.for parallel "ni" %ni = 0 to 4 {
      %a = loop.load %w[%n + %ni, 0] : memref<8x8xf32>
      %b = loop.load %w[0, %n + %ni] : memref<8x8xf32>
      %c = arith.addf %a, %b : f32
      loop.store %c, %y[%n + %ni] : memref<8xf32>
    }
  }
  return
}

// -----

// A kernel that one caller gives a constant and another one something else packs for itself; a last block that is not
// whole is copied as far as it goes, and filled up with zeros behind that.
// CHECK-LABEL: func.func private @both(%w: memref<6xf32>
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<2x4xf32>
// CHECK-NEXT: loop.for parallel "w_block" %{{.*}} = 0 to 1 {
// CHECK-NEXT: loop.for parallel "w_lane" %{{.*}} = 0 to 4 {
// CHECK: loop.for parallel "w_block" %{{.*}} = 0 to 1 {
// CHECK-NEXT: loop.for parallel "w_lane" %[[LANE:.*]] = 0 to 2 {
// CHECK-NEXT: loop.load %w[%{{.*}} * 4 + %[[LANE]] + 4]
// CHECK: loop.for parallel "w_block" %{{.*}} = 0 to 1 {
// CHECK-NEXT: loop.for parallel "w_lane" %[[LANE:.*]] = 0 to 2 {
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT: loop.store %[[ZERO]], %w_panels[%{{.*}} + 1, %[[LANE]] + 2]
func.func private @both(%w: memref<6xf32>, %y: memref<6xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 4 step 4 {
    loop.for parallel "ni" %ni = 0 to 4 {
      %b = loop.load %w[%n + %ni] : memref<6xf32>
      loop.store %b, %y[%n + %ni] : memref<6xf32>
    }
  }
  loop.for parallel "n" %n = 4 to 6 step 2 {
    loop.for parallel "ni" %ni = 0 to 2 {
      %b = loop.load %w[%n + %ni] : memref<6xf32>
      loop.store %b, %y[%n + %ni] : memref<6xf32>
    }
  }
  return
}
func.func @callers(%x: memref<6xf32>, %y: memref<6xf32> {mlc.output}, %z: memref<6xf32> {mlc.output}) {
  %w = loop.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32> to memref<6xf32>
  func.call @both(%w, %y) : (memref<6xf32>, memref<6xf32>) -> ()
  func.call @both(%x, %z) : (memref<6xf32>, memref<6xf32>) -> ()
  return
}

// -----

// One constant as panels of two widths, for a kernel each.
// CHECK-LABEL: func.func @two_widths
// CHECK-DAG: loop.constant dense_resource<constant.panels4> : tensor<2x4xf32>
// CHECK-DAG: loop.constant dense_resource<constant.panels2> : tensor<4x2xf32>
func.func private @fours(%w: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 step 4 {
    loop.for parallel "ni" %ni = 0 to 4 {
      %b = loop.load %w[%n + %ni] : memref<8xf32>
      loop.store %b, %y[%n + %ni] : memref<8xf32>
    }
  }
  return
}
func.func private @twos(%w: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 step 2 {
    loop.for parallel "ni" %ni = 0 to 2 {
      %b = loop.load %w[%n + %ni] : memref<8xf32>
      loop.store %b, %y[%n + %ni] : memref<8xf32>
    }
  }
  return
}
func.func @two_widths(%y: memref<8xf32> {mlc.output}, %z: memref<8xf32> {mlc.output}) {
  %w = loop.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32> to memref<8xf32>
  func.call @fours(%w, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @twos(%w, %z) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// Nor one of which a part is read in blocks that start in the middle of others.
// CHECK-LABEL: func.func private @between(%w: memref<10xf32>
// REMARK: remark: 'w' not packed: a load leaves the blocks of 4 that the loop 'n' is tiled into
func.func private @between(%w: memref<10xf32>, %y: memref<10xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 4 step 4 {
    loop.for parallel "ni" %ni = 0 to 4 {
      %b = loop.load %w[%n + %ni] : memref<10xf32>
      loop.store %b, %y[%n + %ni] : memref<10xf32>
    }
  }
  loop.for parallel "n" %n = 6 to 10 step 4 {
    loop.for parallel "ni" %ni = 0 to 4 {
      %b = loop.load %w[%n + %ni] : memref<10xf32>
      loop.store %b, %y[%n + %ni] : memref<10xf32>
    }
  }
  return
}

// -----

// A loop around that of the blocks steps over several of them at a time.
// CHECK-LABEL: func.func private @several(%w: memref<4x4xf32>
// CHECK:         loop.load %w[%{{.*}} floordiv 4 + %{{.*}} floordiv 4, %ni] : memref<4x4xf32>
func.func private @several(%w: memref<16xf32>, %y: memref<16xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 16 step 8 {
    loop.for parallel "n" %n = 0 to 8 step 4 {
      loop.for parallel "ni" %ni = 0 to 4 {
        %b = loop.load %w[%m + %n + %ni] : memref<16xf32>
        loop.store %b, %y[%m + %n + %ni] : memref<16xf32>
      }
    }
  }
  return
}
func.func @in_pairs(%y: memref<16xf32> {mlc.output}) {
  %w = loop.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]> : tensor<16xf32> to memref<16xf32>
  func.call @several(%w, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  return
}

// -----

// One that steps over a part of a block, or starts in the middle of one, does not.
// REMARK: remark: 'w' not packed: a load leaves the blocks of 4 that the loop 'n' is tiled into
func.func private @in_between(%w: memref<16xf32>, %y: memref<16xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 12 step 6 {
    loop.for parallel "n" %n = 0 to 4 step 4 {
      loop.for parallel "ni" %ni = 0 to 4 {
        %b = loop.load %w[%m + %n + %ni] : memref<16xf32>
        loop.store %b, %y[%m + %n + %ni] : memref<16xf32>
      }
    }
  }
  return
}

// -----

// REMARK: remark: 'w' not packed: a load leaves the blocks of 4 that the loop 'n' is tiled into
func.func private @from_the_middle(%w: memref<16xf32>, %y: memref<16xf32> {mlc.output}) {
  loop.for parallel "m" %m = 2 to 10 step 4 {
    loop.for parallel "n" %n = 0 to 4 step 4 {
      loop.for parallel "ni" %ni = 0 to 4 {
        %b = loop.load %w[%m + %n + %ni] : memref<16xf32>
        loop.store %b, %y[%m + %n + %ni] : memref<16xf32>
      }
    }
  }
  return
}
