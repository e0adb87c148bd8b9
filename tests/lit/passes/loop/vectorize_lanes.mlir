// RUN: mlc-opt %s --vectorize="loops=n lanes=16" | filecheck %s
// RUN: mlc-opt %s --vectorize="loops=n lanes=16" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// Five iterations are eight lanes, of which five are active.
// CHECK-LABEL: @five
// CHECK-NEXT: %[[A:.*]] = loop.load %{{.*}}[16] active 5 : memref<21xf32>, vector<8xf32>
// CHECK-NEXT: %[[R:.*]] = arith.mulf %[[A]], %[[A]] : vector<8xf32>
// CHECK-NEXT: loop.store %[[R]], %{{.*}}[16] active 5 : memref<21xf32>, vector<8xf32>
func.func private @five(%x: memref<21xf32>, %y: memref<21xf32> {mlc.output}) {
  loop.for parallel "n" %n = 16 to 21 {
    %a = loop.load %x[%n] : memref<21xf32>
    %r = arith.mulf %a, %a : f32
    loop.store %r, %y[%n] : memref<21xf32>
  }
  return
}

// Where a row of the buffer is long enough wherever loops may be, a load reads on; a store never does.
// CHECK-LABEL: @panel
// CHECK: loop.load %{{.*}}[%{{.*}}, 0] : memref<4x16xf32>, vector<16xf32>
// CHECK: loop.load %{{.*}}[%{{.*}}] active 11 : memref<16xf32>, vector<16xf32>
// CHECK: loop.store %{{.*}}, %{{.*}}[0] active 11 : memref<16xf32>, vector<16xf32>
func.func private @panel(%w: memref<4x16xf32>, %b: memref<16xf32>, %y: memref<16xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 11 {
    %zero = arith.constant 0.0 : f32
    %s = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %w[%k, %n] : memref<4x16xf32>
      %c = loop.load %b[%k + %n] : memref<16xf32>
      %next = math.fma %a, %c, %acc : f32
      loop.yield %next : f32
    }
    loop.store %s, %y[%n] : memref<16xf32>
  }
  return
}

// A power of two needs no lane that is not active; a single iteration stays a scalar.
// CHECK-LABEL: @exact
// CHECK: loop.load %{{.*}}[0] : memref<9xf32>, vector<8xf32>
// CHECK: loop.for parallel "n" %{{.*}} = 8 to 9
// CHECK-NEXT: loop.load %{{.*}}[%{{.*}}] : memref<9xf32>
func.func private @exact(%x: memref<9xf32>, %y: memref<9xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 {
    %a = loop.load %x[%n] : memref<9xf32>
    loop.store %a, %y[%n] : memref<9xf32>
  }
  loop.for parallel "n" %n = 8 to 9 {
    %a = loop.load %x[%n] : memref<9xf32>
    loop.store %a, %y[%n] : memref<9xf32>
  }
  return
}

// Down a column there is no next element behind the last row, however long rows are.
// CHECK-LABEL: @column
// CHECK: loop.load %{{.*}}[0, 1] along 0 active 3 : memref<3x8xf32>, vector<4xf32>
func.func private @column(%x: memref<3x8xf32>, %y: memref<3xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 3 {
    %a = loop.load %x[%n, 1] : memref<3x8xf32>
    loop.store %a, %y[%n] : memref<3xf32>
  }
  return
}

// Nor is it known how far to read on where elements are two apart.
// CHECK-LABEL: @every_second
// CHECK: loop.load %{{.*}}[0] stride 2 active 3 : memref<6xf32>, vector<4xf32>
func.func private @every_second(%x: memref<6xf32>, %y: memref<3xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 3 {
    %a = loop.load %x[%n * 2] : memref<6xf32>
    loop.store %a, %y[%n] : memref<3xf32>
  }
  return
}

// CHECK-LABEL: @long
// CHECK: loop.for parallel "n"
// REMARK: remark: loop 'n' not vectorized: 17 iterations are more than 16 lanes; tile it first
func.func private @long(%y: memref<17xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 17 {
    loop.store %zero, %y[%n] : memref<17xf32>
  }
  return
}

// Lanes that stand for no iteration compute with zeros, of which nothing was promised.
// CHECK-LABEL: @promises
// CHECK-NOT: overflow
// CHECK: arith.subi
// CHECK-NOT: overflow
// CHECK: return
func.func private @promises(%x: memref<3xi32>, %out: memref<3xi32> {mlc.output}) {
  %one = arith.constant 1 : i32
  loop.for parallel "n" %n = 0 to 3 {
    %a = loop.load %x[%n] : memref<3xi32>
    %b = arith.subi %a, %one overflow<nuw> : i32
    loop.store %b, %out[%n] : memref<3xi32>
  }
  return
}

// What lies behind the last lane is what the next block is about to store: only what is needed is read.
// CHECK-LABEL: @in_place
// CHECK: loop.load %{{.*}}[%{{.*}} + 48] active 15 : memref<126xf32>, vector<16xf32>
func.func private @in_place(%y: memref<126xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  loop.for parallel "all" %all = 0 to 126 {
    loop.store %one, %y[%all] : memref<126xf32>
  }
  loop.for parallel "block" %block = 0 to 126 step 63 {
    loop.for parallel "n" %n = 0 to 15 {
      %a = loop.load %y[%block + %n + 48] : memref<126xf32>
      %b = arith.addf %a, %a : f32
      loop.store %b, %y[%block + %n + 48] : memref<126xf32>
    }
  }
  return
}

// A row that nobody stores to while a loop goes along it may be read on.
// CHECK-LABEL: @another_row
// CHECK: loop.load %x[0, %block + 40] : memref<2x126xf32>, vector<16xf32>
// CHECK: loop.load %y[%m, 16] : memref<2x126xf32>, vector<16xf32>
func.func private @another_row(%x: memref<2x126xf32>, %y: memref<2x126xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  loop.for parallel "i" %i = 0 to 2 {
    loop.for parallel "j" %j = 0 to 126 {
      loop.store %one, %y[%i, %j] : memref<2x126xf32>
    }
  }
  loop.for parallel "block" %block = 0 to 126 step 63 {
    loop.for parallel "n" %n = 0 to 15 {
      %a = loop.load %x[0, %block + %n + 40] : memref<2x126xf32>
      loop.store %a, %y[1, %block + %n + 48] : memref<2x126xf32>
    }
  }
  loop.for parallel "m" %m = 0 to 2 {
    loop.for parallel "n" %n = 0 to 15 {
      %a = loop.load %y[%m, %n + 16] : memref<2x126xf32>
      loop.store %a, %y[%m, %n + 48] : memref<2x126xf32>
    }
  }
  return
}
