// RUN: mlc-opt %s --split-input-file --partition-loops=loops=y --check-each | filecheck %s
// RUN: mlc-opt %s --split-input-file --partition-loops=loops=y --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// Copies that look padded, and are something else: they stay.

// The image changes between the copy and the windows.
// CHECK-LABEL: @changed_in_between
// CHECK: memref.alloc() : memref<10xf32>
func.func private @changed_in_between(%x: memref<8xf32>, %w: memref<3xf32>, %y: memref<8xf32> {mlc.output}, %z: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %z[%i] : memref<8xf32>
  }
  %p = memref.alloc() : memref<10xf32>
  loop.store %zero, %p[0] : memref<10xf32>
  loop.store %zero, %p[9] : memref<10xf32>
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %z[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
  }
  loop.store %one, %z[3] : memref<8xf32>
  loop.for parallel "y" %yy = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%yy + %k] : memref<10xf32>
      %b = loop.load %w[%k] : memref<3xf32>
      %c = math.fma %a, %b, %acc : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%yy] : memref<8xf32>
  }
  return
}

// -----

// The image changes while the windows pass.
// CHECK-LABEL: @changed_by_windows
// CHECK: memref.alloc() : memref<10xf32>
func.func private @changed_by_windows(%x: memref<8xf32>, %w: memref<3xf32>, %y: memref<8xf32> {mlc.output}, %z: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %z[%i] : memref<8xf32>
  }
  %p = memref.alloc() : memref<10xf32>
  loop.store %zero, %p[0] : memref<10xf32>
  loop.store %zero, %p[9] : memref<10xf32>
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %z[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
  }
  loop.for parallel "y" %yy = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%yy + %k] : memref<10xf32>
      %b = loop.load %w[%k] : memref<3xf32>
      %c = math.fma %a, %b, %acc : f32
      loop.store %c, %z[%yy] : memref<8xf32>
      loop.yield %c : f32
    }
    loop.store %s, %y[%yy] : memref<8xf32>
  }
  return
}

// -----

// What else the window counts would miss the steps over the padding.
// CHECK-LABEL: @counted
// CHECK: memref.alloc() : memref<10xf32>
// REMARK: remark: still padded: its windows do not move along y alone, or the padding counts
func.func private @counted(%x: memref<8xf32>, %w: memref<3xf32>, %y: memref<8xf32> {mlc.output}, %z: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %z[%i] : memref<8xf32>
  }
  %p = memref.alloc() : memref<10xf32>
  loop.store %zero, %p[0] : memref<10xf32>
  loop.store %zero, %p[9] : memref<10xf32>
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %z[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
  }
  loop.for parallel "y" %yy = 0 to 8 {
    %r, %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero, %d = %zero) -> (f32, f32) {
      %a = loop.load %p[%yy + %k] : memref<10xf32>
      %b = loop.load %w[%k] : memref<3xf32>
      %c = math.fma %a, %b, %acc : f32
      %e = arith.addf %d, %one : f32
      loop.yield %c, %e : f32, f32
    }
    loop.store %s, %y[%yy] : memref<8xf32>
  }
  return
}

// -----

// What looks like padding covers a part of the image.
// CHECK-LABEL: @padding_inside
// CHECK: memref.alloc() : memref<10xf32>
func.func private @padding_inside(%x: memref<8xf32>, %w: memref<3xf32>, %y: memref<8xf32> {mlc.output}, %z: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %z[%i] : memref<8xf32>
  }
  %p = memref.alloc() : memref<10xf32>
  loop.store %zero, %p[0] : memref<10xf32>
  loop.store %zero, %p[9] : memref<10xf32>
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %z[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
  }
  loop.store %zero, %p[4] : memref<10xf32>
  loop.for parallel "y" %yy = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%yy + %k] : memref<10xf32>
      %b = loop.load %w[%k] : memref<3xf32>
      %c = math.fma %a, %b, %acc : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%yy] : memref<8xf32>
  }
  return
}

// -----

// The loop that copies does something else, too.
// CHECK-LABEL: @busy_copy
// CHECK: memref.alloc() : memref<10xf32>
func.func private @busy_copy(%x: memref<8xf32>, %w: memref<3xf32>, %y: memref<8xf32> {mlc.output}, %z: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %z[%i] : memref<8xf32>
  }
  %p = memref.alloc() : memref<10xf32>
  loop.store %zero, %p[0] : memref<10xf32>
  loop.store %zero, %p[9] : memref<10xf32>
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %z[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
    loop.store %one, %y[%i] : memref<8xf32>
  }
  loop.for parallel "y" %yy = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%yy + %k] : memref<10xf32>
      %b = loop.load %w[%k] : memref<3xf32>
      %c = math.fma %a, %b, %acc : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%yy] : memref<8xf32>
  }
  return
}

// -----

// Another loop of the same name keeps its range.
// CHECK-LABEL: @same_name
// CHECK-NOT: memref.alloc
// CHECK: loop.for parallel "y" %{{.*}} = 0 to 1 {
// CHECK-NEXT: loop.for serial "k" %{{.*}} = 1 to 3
// CHECK: loop.for serial "k" %{{.*}} = 0 to 3
// CHECK-NEXT: loop.load %w
func.func private @same_name(%x: memref<8xf32>, %w: memref<3xf32>, %y: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<10xf32>
  loop.store %zero, %p[0] : memref<10xf32>
  loop.store %zero, %p[9] : memref<10xf32>
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
  }
  loop.for parallel "y" %yy = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%yy + %k] : memref<10xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    %t = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %s) -> (f32) {
      %b = loop.load %w[%k] : memref<3xf32>
      %c = arith.addf %acc, %b : f32
      loop.yield %c : f32
    }
    loop.store %t, %y[%yy] : memref<8xf32>
  }
  return
}

// -----

// The windows replace the image: the copy is what they are computed from.
// CHECK-LABEL: @in_place
// CHECK: memref.alloc() : memref<10xf32>
func.func private @in_place(%x: memref<8xf32>, %z: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %z[%i] : memref<8xf32>
  }
  %p = memref.alloc() : memref<10xf32>
  loop.store %zero, %p[0] : memref<10xf32>
  loop.store %zero, %p[9] : memref<10xf32>
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %z[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
  }
  loop.for parallel "y" %yy = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%yy + %k] : memref<10xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %z[%yy] : memref<8xf32>
  }
  return
}

// -----

// The image changes between the copy and its padding.
// CHECK-LABEL: @changed_while_filling
// CHECK: memref.alloc() : memref<10xf32>
func.func private @changed_while_filling(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}, %z: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %z[%i] : memref<8xf32>
  }
  %p = memref.alloc() : memref<10xf32>
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %z[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
  }
  loop.store %one, %z[3] : memref<8xf32>
  loop.store %zero, %p[0] : memref<10xf32>
  loop.store %zero, %p[9] : memref<10xf32>
  loop.for parallel "y" %yy = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%yy + %k] : memref<10xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%yy] : memref<8xf32>
  }
  return
}

// -----

// A vector of padding covers the first element of the image.
// CHECK-LABEL: @padding_reaches_inside
// CHECK: memref.alloc() : memref<10xf32>
func.func private @padding_reaches_inside(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %zeros = arith.constant dense<0.0> : vector<2xf32>
  %p = memref.alloc() : memref<10xf32>
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
  }
  loop.store %zeros, %p[0] : memref<10xf32>, vector<2xf32>
  loop.store %zero, %p[9] : memref<10xf32>
  loop.for parallel "y" %yy = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%yy + %k] : memref<10xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%yy] : memref<8xf32>
  }
  return
}

// -----

// One side is padded with ones, which count.
// CHECK-LABEL: @ones
// CHECK: memref.alloc() : memref<10xf32>
// REMARK: remark: still padded: its windows do not move along y alone, or the padding counts
func.func private @ones(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %p = memref.alloc() : memref<10xf32>
  loop.store %zero, %p[0] : memref<10xf32>
  loop.store %one, %p[9] : memref<10xf32>
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
  }
  loop.for parallel "y" %yy = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%yy + %k] : memref<10xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%yy] : memref<8xf32>
  }
  return
}

// -----

// Every second element from the third on: the last one is padding.
// CHECK-LABEL: @strided_lanes
// CHECK: %[[P:.*]] = memref.alloc() : memref<10xf32>
// CHECK: loop.load %[[P]][3] stride 2
func.func private @strided_lanes(%x: memref<8xf32>, %y: memref<4xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  %one = arith.constant 1.0 : f32
  %p = memref.alloc() : memref<10xf32>
  loop.store %zero, %p[0] : memref<10xf32>
  loop.store %zero, %p[9] : memref<10xf32>
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
  }
  loop.for parallel "y" %yy = 0 to 1 {
    %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zeros) -> (vector<4xf32>) {
      %a = loop.load %p[3] stride 2 : memref<10xf32>, vector<4xf32>
      %c = arith.addf %acc, %a : vector<4xf32>
      loop.yield %c : vector<4xf32>
    }
    loop.store %s, %y[%yy] : memref<4xf32>, vector<4xf32>
  }
  return
}

// -----

// Two windows at each position would have to be split at different ones.
// CHECK-LABEL: @two_windows
// CHECK: memref.alloc() : memref<10xf32>
func.func private @two_windows(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %p = memref.alloc() : memref<10xf32>
  loop.store %zero, %p[0] : memref<10xf32>
  loop.store %zero, %p[9] : memref<10xf32>
  loop.for parallel "i" %i = 0 to 8 {
    %a = loop.load %x[%i] : memref<8xf32>
    loop.store %a, %p[%i + 1] : memref<10xf32>
  }
  loop.for parallel "y" %yy = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %p[%yy + %k] : memref<10xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    %t = loop.for serial "j" %j = 0 to 2 iter_args(%acc = %s) -> (f32) {
      %a = loop.load %p[%yy + %j] : memref<10xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %t, %y[%yy] : memref<8xf32>
  }
  return
}
