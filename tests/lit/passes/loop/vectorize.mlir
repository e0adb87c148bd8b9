// RUN: mlc-opt %s --vectorize="loops=n" | filecheck %s
// RUN: mlc-opt %s --vectorize="loops=n" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// A carried scalar becomes a carried vector; what is the same for all lanes stays a scalar and is broadcast.
// CHECK-LABEL: @matvec
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK-NEXT: %[[S:.*]] = loop.for serial "k" %[[K:.*]] = 0 to 4 iter_args(%[[ACC:.*]] = %[[Z]]) -> (vector<8xf32>) {
// CHECK-NEXT: %[[A:.*]] = loop.load %{{.*}}[%[[K]]] : memref<4xf32>
// CHECK-NEXT: %[[B:.*]] = loop.load %{{.*}}[%[[K]], 0] : memref<4x8xf32>, vector<8xf32>
// CHECK-NEXT: %[[AA:.*]] = vector.broadcast %[[A]] : f32 to vector<8xf32>
// CHECK-NEXT: %[[R:.*]] = math.fma %[[AA]], %[[B]], %[[ACC]] : vector<8xf32>
// CHECK-NEXT: loop.yield %[[R]] : vector<8xf32>
// CHECK: loop.store %[[S]], %{{.*}}[0] : memref<8xf32>, vector<8xf32>
func.func private @matvec(%x: memref<4xf32>, %w: memref<4x8xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 {
    %zero = arith.constant 0.0 : f32
    %s = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%k] : memref<4xf32>
      %b = loop.load %w[%k, %n] : memref<4x8xf32>
      %next = math.fma %a, %b, %acc : f32
      loop.yield %next : f32
    }
    loop.store %s, %y[%n] : memref<8xf32>
  }
  return
}

// Comparisons and selections work lane by lane.
// CHECK-LABEL: @clip
// CHECK: arith.cmpf ogt, %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK-NEXT: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xf32>
func.func private @clip(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 4 to 8 {
    %one = arith.constant 1.0 : f32
    %a = loop.load %x[%n] : memref<8xf32>
    %c = arith.cmpf ogt, %a, %one : f32
    %r = arith.select %c, %one, %a : f32
    loop.store %r, %y[%n] : memref<8xf32>
  }
  return
}

// Lanes may be evenly spaced along any dim: every second element, a column, every third one in the rows of a step.
// CHECK-LABEL: @strided
// CHECK-NEXT: loop.load %{{.*}}[0] stride 2 : memref<8xf32>, vector<4xf32>
// CHECK-NEXT: loop.load %{{.*}}[0, 1] along 0 : memref<4x2xf32>, vector<4xf32>
// CHECK-NEXT: arith.addf
// CHECK-NEXT: loop.store %{{.*}}, %{{.*}}[0, 0] along 0 : memref<4x2xf32>, vector<4xf32>
// CHECK: loop.load %{{.*}}[1] stride 6 : memref<40xf32>, vector<4xf32>
// CHECK-NEXT: loop.store %{{.*}}, %{{.*}}[0] stride 2 : memref<8xf32>, vector<4xf32>
func.func private @strided(%x: memref<8xf32>, %z: memref<40xf32>, %c: memref<4x2xf32>, %y: memref<4x2xf32> {mlc.output}, %w: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 4 {
    %a = loop.load %x[%n * 2] : memref<8xf32>
    %b = loop.load %c[%n, 1] : memref<4x2xf32>
    %r = arith.addf %a, %b : f32
    loop.store %r, %y[%n, 0] : memref<4x2xf32>
  }
  loop.for parallel "n" %n = 0 to 8 step 2 {
    %a = loop.load %z[%n * 3 + 1] : memref<40xf32>
    loop.store %a, %w[%n] : memref<8xf32>
  }
  return
}

// CHECK-LABEL: @uneven
// CHECK: loop.for parallel "n"
// CHECK: loop.for parallel "n"
// REMARK: remark: loop 'n' not vectorized: a load does not go through evenly spaced elements of one dim
// REMARK: remark: loop 'n' not vectorized: a load does not go through evenly spaced elements of one dim
func.func private @uneven(%x: memref<4x4xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 4 {
    %a = loop.load %x[%n, %n] : memref<4x4xf32>
    loop.store %a, %y[%n] : memref<8xf32>
  }
  loop.for parallel "n" %n = 0 to 8 {
    %a = loop.load %x[0, %n floordiv 2] : memref<4x4xf32>
    loop.store %a, %y[%n] : memref<8xf32>
  }
  return
}

// Rows whose number is a lane's own value.
// CHECK-LABEL: @lookup
// CHECK: loop.for parallel "n"
// REMARK: remark: loop 'n' not vectorized: a load goes where computed values say
func.func private @lookup(%x: memref<8xf32>, %i: memref<4xi64>, %y: memref<4xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 4 {
    %seven = arith.constant 7 : i64
    %j = loop.load %i[%n] : memref<4xi64>
    %low = arith.andi %j, %seven : i64
    %k = arith.index_cast %low : i64 to index
    %a = loop.load %x[%k] : memref<8xf32>
    loop.store %a, %y[%n] : memref<4xf32>
  }
  return
}

// CHECK-LABEL: @same_element
// CHECK: loop.for parallel "n"
// REMARK: remark: loop 'n' not vectorized: a store goes to the same element in every iteration
func.func private @same_element(%x: memref<8xf32>, %y: memref<4xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 4 {
    %t = memref.alloc() : memref<1xf32>
    %a = loop.load %x[%n] : memref<8xf32>
    loop.store %a, %t[0] : memref<1xf32>
    %b = loop.load %t[0] : memref<1xf32>
    loop.store %b, %y[%n] : memref<4xf32>
  }
  return
}

// CHECK-LABEL: @serial
// CHECK: loop.for serial "n"
// REMARK: remark: loop 'n' not vectorized: its iterations depend on each other
func.func private @serial(%y: memref<8xf32> {mlc.output}) {
  loop.for serial "n" %n = 0 to 4 {
    %a = loop.load %y[%n] : memref<8xf32>
    loop.store %a, %y[%n + 1] : memref<8xf32>
  }
  return
}

// CHECK-LABEL: @long
// CHECK: loop.for parallel "n"
// REMARK: remark: loop 'n' not vectorized: 1000 iterations, the limit is 64; tile it first
func.func private @long(%y: memref<1000xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 1000 {
    loop.store %zero, %y[%n] : memref<1000xf32>
  }
  return
}

// CHECK-LABEL: @counter
// CHECK: loop.for parallel "n"
// REMARK: remark: loop 'n' not vectorized: 'arith.index_cast' uses the counter itself
func.func private @counter(%y: memref<8xi64> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 {
    %i = arith.index_cast %n : index to i64
    loop.store %i, %y[%n] : memref<8xi64>
  }
  return
}

// Lanes go upwards. A counter that is subtracted goes downwards: the loop stays.
// CHECK-LABEL: @reversed
// CHECK: loop.for parallel "n"
// CHECK-NEXT: loop.load %x[%n * (-1) + 7]
// REMARK: remark: loop 'n' not vectorized: a load does not go through evenly spaced elements of one dim
func.func private @reversed(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 {
    %a = loop.load %x[7 - %n] : memref<8xf32>
    loop.store %a, %y[%n] : memref<8xf32>
  }
  return
}

// A scalar is broadcast in each block that needs the vector: one inside of a loop is not seen behind it.
// CHECK-LABEL: @two_blocks
// CHECK: loop.for serial "k"
// CHECK: vector.broadcast %s
// CHECK: loop.yield
// CHECK: vector.broadcast %s
// CHECK: loop.store
func.func private @two_blocks(%x: memref<8xf32>, %v: memref<1xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 {
    %s = loop.load %v[0] : memref<1xf32>
    %a = loop.load %x[%n] : memref<8xf32>
    %r = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %a) -> (f32) {
      %next = arith.mulf %acc, %s : f32
      loop.yield %next : f32
    }
    %b = arith.addf %r, %s : f32
    loop.store %b, %y[%n] : memref<8xf32>
  }
  return
}

// A carried value is a vector if it starts as one, even if all lanes yield the same number.
// CHECK-LABEL: @starts_as_vector
// CHECK: loop.for serial "k" %{{.*}} = 0 to 2 iter_args(%[[C:.*]] = %{{.*}}) -> (vector<8xf32>) {
// CHECK-NEXT: loop.store %[[C]], %y[%{{.*}}, 0] : memref<2x8xf32>, vector<8xf32>
func.func private @starts_as_vector(%x: memref<8xf32>, %v: memref<2xf32>, %y: memref<2x8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 {
    %a = loop.load %x[%n] : memref<8xf32>
    %r = loop.for serial "k" %k = 0 to 2 iter_args(%c = %a) -> (f32) {
      loop.store %c, %y[%k, %n] : memref<2x8xf32>
      %next = loop.load %v[%k] : memref<2xf32>
      loop.yield %next : f32
    }
  }
  return
}
