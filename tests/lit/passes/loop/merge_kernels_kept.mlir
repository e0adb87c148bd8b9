// RUN: mlc-opt %s --merge-kernels --split-input-file -o %t
// RUN: mlc-opt %s --split-input-file -o %t.unchanged
// RUN: diff %t %t.unchanged

// Accesses that are not as far apart, rows of another length, other lanes, another number of iterations.
func.func private @near(%x: memref<8x8xf32>, %y: memref<2xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 2 {
    %0 = loop.load %x[%n, 0] : memref<8x8xf32>
    %1 = loop.load %x[%n, 1] : memref<8x8xf32>
    %2 = arith.addf %0, %1 : f32
    loop.store %2, %y[%n] : memref<2xf32>
  }
  return
}
func.func private @far(%x: memref<8x8xf32>, %y: memref<2xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 2 {
    %0 = loop.load %x[%n, 0] : memref<8x8xf32>
    %1 = loop.load %x[%n, 2] : memref<8x8xf32>
    %2 = arith.addf %0, %1 : f32
    loop.store %2, %y[%n] : memref<2xf32>
  }
  return
}
func.func private @swapped(%x: memref<8x8xf32>, %y: memref<2xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 2 {
    %0 = loop.load %x[%n, 1] : memref<8x8xf32>
    %1 = loop.load %x[%n, 0] : memref<8x8xf32>
    %2 = arith.addf %0, %1 : f32
    loop.store %2, %y[%n] : memref<2xf32>
  }
  return
}
func.func private @other_rows(%x: memref<8x9xf32>, %y: memref<2xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 2 {
    %0 = loop.load %x[%n, 0] : memref<8x9xf32>
    %1 = loop.load %x[%n, 1] : memref<8x9xf32>
    %2 = arith.addf %0, %1 : f32
    loop.store %2, %y[%n] : memref<2xf32>
  }
  return
}
func.func private @three(%x: memref<8x8xf32>, %y: memref<3xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 3 {
    %0 = loop.load %x[%n, 0] : memref<8x8xf32>
    %1 = loop.load %x[%n, 1] : memref<8x8xf32>
    %2 = arith.addf %0, %1 : f32
    loop.store %2, %y[%n] : memref<3xf32>
  }
  return
}
func.func private @lanes(%x: memref<8x8xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[0, 0] : memref<8x8xf32>, vector<4xf32>
  loop.store %0, %y[0] : memref<4xf32>, vector<4xf32>
  return
}
func.func private @fewer_lanes(%x: memref<8x8xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[0, 0] active 3 : memref<8x8xf32>, vector<4xf32>
  loop.store %0, %y[0] : memref<4xf32>, vector<4xf32>
  return
}
func.func private @column(%x: memref<8x8xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[0, 0] along 0 : memref<8x8xf32>, vector<4xf32>
  loop.store %0, %y[0] : memref<4xf32>, vector<4xf32>
  return
}
func.func private @corner_and_row(%x: memref<8x8xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[7, 7] : memref<8x8xf32>
  loop.store %0, %y[2] : memref<4xf32>
  loop.for parallel "n" %n = 0 to 2 {
    %1 = loop.load %x[0, %n] : memref<8x8xf32>
    loop.store %1, %y[%n] : memref<4xf32>
  }
  return
}
func.func private @corner_and_column(%x: memref<8x8xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[7, 7] : memref<8x8xf32>
  loop.store %0, %y[2] : memref<4xf32>
  loop.for parallel "n" %n = 0 to 2 {
    %1 = loop.load %x[%n, 0] : memref<8x8xf32>
    loop.store %1, %y[%n] : memref<4xf32>
  }
  return
}
func.func private @corner_and_lanes(%x: memref<8x8xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[7, 7] : memref<8x8xf32>
  loop.store %0, %y[2] : memref<4xf32>
  %1 = loop.load %x[0, 0] : memref<8x8xf32>, vector<2xf32>
  loop.store %1, %y[0] : memref<4xf32>, vector<2xf32>
  return
}
func.func private @corner_and_distant_lanes(%x: memref<8x8xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[7, 7] : memref<8x8xf32>
  loop.store %0, %y[2] : memref<4xf32>
  %1 = loop.load %x[0, 0] stride 4 : memref<8x8xf32>, vector<2xf32>
  loop.store %1, %y[0] : memref<4xf32>, vector<2xf32>
  return
}
func.func private @reversed_lanes(%x: memref<8x8xf32>, %y: memref<4xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 2 {
    %0 = loop.load %x[0, 1 - %n] : memref<8x8xf32>
    loop.store %0, %y[%n] : memref<4xf32>
  }
  return
}
func.func private @two_lanes(%x: memref<8x8xf32>, %y: memref<4xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 2 {
    %0 = loop.load %x[0, %n] : memref<8x8xf32>
    loop.store %0, %y[%n] : memref<4xf32>
  }
  return
}
func.func @main(%x: memref<8x8xf32>, %z: memref<8x9xf32>, %a: memref<2xf32> {mlc.output}, %b: memref<3xf32> {mlc.output}, %c: memref<4xf32> {mlc.output}) {
  func.call @near(%x, %a) : (memref<8x8xf32>, memref<2xf32>) -> ()
  func.call @far(%x, %a) : (memref<8x8xf32>, memref<2xf32>) -> ()
  func.call @swapped(%x, %a) : (memref<8x8xf32>, memref<2xf32>) -> ()
  func.call @other_rows(%z, %a) : (memref<8x9xf32>, memref<2xf32>) -> ()
  func.call @three(%x, %b) : (memref<8x8xf32>, memref<3xf32>) -> ()
  func.call @lanes(%x, %c) : (memref<8x8xf32>, memref<4xf32>) -> ()
  func.call @fewer_lanes(%x, %c) : (memref<8x8xf32>, memref<4xf32>) -> ()
  func.call @column(%x, %c) : (memref<8x8xf32>, memref<4xf32>) -> ()
  func.call @corner_and_row(%x, %c) : (memref<8x8xf32>, memref<4xf32>) -> ()
  func.call @corner_and_column(%x, %c) : (memref<8x8xf32>, memref<4xf32>) -> ()
  func.call @corner_and_lanes(%x, %c) : (memref<8x8xf32>, memref<4xf32>) -> ()
  func.call @corner_and_distant_lanes(%x, %c) : (memref<8x8xf32>, memref<4xf32>) -> ()
  func.call @reversed_lanes(%x, %c) : (memref<8x8xf32>, memref<4xf32>) -> ()
  func.call @two_lanes(%x, %c) : (memref<8x8xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Places that are not sums of counters, or that views are made of: whole buffers have to agree, and these do not.
func.func private @taken(%x: memref<8xf32>, %i: memref<1xindex>, %y: memref<1xf32> {mlc.output}) {
  %0 = loop.load %i[0] : memref<1xindex>
  %1 = loop.load %x[%0] : memref<8xf32>
  %2 = loop.load %x[1] : memref<8xf32>
  %3 = arith.addf %1, %2 : f32
  loop.store %3, %y[0] : memref<1xf32>
  return
}
func.func private @taken_behind(%x: memref<8xf32>, %i: memref<1xindex>, %y: memref<1xf32> {mlc.output}) {
  %0 = loop.load %i[0] : memref<1xindex>
  %1 = loop.load %x[%0 + 1] : memref<8xf32>
  %2 = loop.load %x[2] : memref<8xf32>
  %3 = arith.addf %1, %2 : f32
  loop.store %3, %y[0] : memref<1xf32>
  return
}
func.func private @blocks(%x: memref<4x8xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 {
    %0 = loop.load %x[%n floordiv 4, %n] : memref<4x8xf32>
    loop.store %0, %y[%n] : memref<8xf32>
  }
  return
}
func.func private @blocks_below(%x: memref<4x8xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 {
    %0 = loop.load %x[%n floordiv 4 + 2, %n] : memref<4x8xf32>
    loop.store %0, %y[%n] : memref<8xf32>
  }
  return
}
func.func private @viewed(%x: memref<2x2xf32>, %y: memref<8xf32> {mlc.output}) {
  %0 = memref.collapse_shape %x [[0, 1]] : memref<2x2xf32> into memref<4xf32>
  %1 = loop.load %0[0] : memref<4xf32>
  loop.store %1, %y[0] : memref<8xf32>
  return
}
func.func private @viewed_behind(%x: memref<2x2xf32>, %y: memref<8xf32> {mlc.output}) {
  %0 = memref.collapse_shape %x [[0, 1]] : memref<2x2xf32> into memref<4xf32>
  %1 = loop.load %0[1] : memref<4xf32>
  loop.store %1, %y[0] : memref<8xf32>
  return
}
// Nothing says that these lie in the buffer when they are read.
func.func private @perhaps(%x: memref<4xf32>, %y: memref<8xf32> {mlc.output}) {
  %here = arith.constant false
  scf.if %here {
    %0 = loop.load %x[5] : memref<4xf32>
    loop.store %0, %y[0] : memref<8xf32>
  }
  return
}
func.func private @perhaps_not(%x: memref<4xf32>, %y: memref<8xf32> {mlc.output}) {
  %here = arith.constant false
  scf.if %here {
    %0 = loop.load %x[6] : memref<4xf32>
    loop.store %0, %y[0] : memref<8xf32>
  }
  return
}
func.func @main(%x: memref<8xf32>, %v: memref<2x2xf32>, %w: memref<4x8xf32>, %u: memref<4xf32>, %i: memref<1xindex>, %y: memref<1xf32> {mlc.output}, %z: memref<8xf32> {mlc.output}) {
  func.call @taken(%x, %i, %y) : (memref<8xf32>, memref<1xindex>, memref<1xf32>) -> ()
  func.call @taken_behind(%x, %i, %y) : (memref<8xf32>, memref<1xindex>, memref<1xf32>) -> ()
  func.call @blocks(%w, %z) : (memref<4x8xf32>, memref<8xf32>) -> ()
  func.call @blocks_below(%w, %z) : (memref<4x8xf32>, memref<8xf32>) -> ()
  func.call @viewed(%v, %z) : (memref<2x2xf32>, memref<8xf32>) -> ()
  func.call @viewed_behind(%v, %z) : (memref<2x2xf32>, memref<8xf32>) -> ()
  func.call @perhaps(%u, %z) : (memref<4xf32>, memref<8xf32>) -> ()
  func.call @perhaps_not(%u, %z) : (memref<4xf32>, memref<8xf32>) -> ()
  return
}

// -----

// A kernel that something else than a call refers to, one that others may call, one that nobody calls.
func.func private @named(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[1] : memref<4xf32>
  loop.store %0, %y[2] : memref<4xf32>
  return
}
func.func private @called(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[2] : memref<4xf32>
  loop.store %0, %y[2] : memref<4xf32>
  return
}
func.func @open(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[3] : memref<4xf32>
  loop.store %0, %y[2] : memref<4xf32>
  return
}
func.func @open_too(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[2] : memref<4xf32>
  loop.store %0, %y[2] : memref<4xf32>
  return
}
func.func private @idle(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[3] : memref<4xf32>
  loop.store %0, %y[2] : memref<4xf32>
  return
}
func.func @main(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) attributes {my.kernels = [@named]} {
  func.call @named(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @called(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @open(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @open_too(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
