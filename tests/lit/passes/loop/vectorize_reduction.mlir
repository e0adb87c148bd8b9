// RUN: mlc-opt %s --vectorize-reduction="loops=k lanes=4" | filecheck %s
// RUN: mlc-opt %s --vectorize-reduction="loops=k lanes=4" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// Four sums side by side; in a last step two of them get one more number.
// CHECK-LABEL: @sum
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT: %[[V:.*]] = loop.for serial "k" %[[K:.*]] = 0 to 8 step 4 iter_args(%[[A:.*]] = %[[Z]]) -> (vector<4xf32>) {
// CHECK-NEXT: %[[X:.*]] = loop.load %{{.*}}[%[[K]]] : memref<10xf32>, vector<4xf32>
// CHECK-NEXT: %[[S:.*]] = arith.mulf %[[X]], %[[X]] : vector<4xf32>
// CHECK-NEXT: %[[N:.*]] = arith.addf %[[A]], %[[S]] : vector<4xf32>
// CHECK-NEXT: loop.yield %[[N]]
// CHECK: %[[Y:.*]] = loop.load %{{.*}}[8] active 2 : memref<10xf32>, vector<4xf32>
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[Y]], %[[Y]] : vector<4xf32>
// CHECK-NEXT: %[[L:.*]] = arith.addf %[[V]], %[[Q]] : vector<4xf32>
// CHECK-NEXT: %[[MASK:.*]] = arith.constant dense<[true, true, false, false]> : vector<4xi1>
// CHECK-NEXT: %[[W:.*]] = arith.select %[[MASK]], %[[L]], %[[V]] : vector<4xi1>, vector<4xf32>
// CHECK-NEXT: %[[T:.*]] = vector.reduction <add>, %[[W]] : vector<4xf32> into f32
// CHECK-NEXT: arith.addf %{{.*}}, %[[T]] : f32
// CHECK-NEXT: loop.store
func.func private @sum(%x: memref<10xf32>, %y: memref<1xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 10 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<10xf32>
    %b = arith.mulf %a, %a : f32
    %next = arith.addf %acc, %b : f32
    loop.yield %next : f32
  }
  loop.store %s, %y[0] : memref<1xf32>
  return
}

// A dot product, and a maximum of integers.
// CHECK-LABEL: @dot_and_max
// CHECK: math.fma %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK: vector.reduction <add>
// CHECK: arith.constant dense<-2147483648> : vector<4xi32>
// CHECK: arith.maxsi %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK: vector.reduction <maxsi>
func.func private @dot_and_max(%x: memref<8xf32>, %w: memref<8xf32>, %i: memref<8xi32>, %y: memref<1xf32> {mlc.output}, %j: memref<1xi32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<8xf32>
    %b = loop.load %w[%k] : memref<8xf32>
    %next = math.fma %a, %b, %acc : f32
    loop.yield %next : f32
  }
  loop.store %s, %y[0] : memref<1xf32>
  %least = arith.constant -2147483648 : i32
  %m = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %least) -> (i32) {
    %a = loop.load %i[%k] : memref<8xi32>
    %next = arith.maxsi %acc, %a : i32
    loop.yield %next : i32
  }
  loop.store %m, %j[0] : memref<1xi32>
  return
}

// Three numbers are one step of four lanes, two of them one step of two lanes.
// CHECK-LABEL: @short
// CHECK-NOT: loop.for
// CHECK: loop.load %{{.*}}[0] active 3 : memref<3xf32>, vector<4xf32>
// CHECK: arith.select
// CHECK: vector.reduction <add>, %{{.*}} : vector<4xf32>
// CHECK: loop.load %{{.*}}[1] : memref<3xf32>, vector<2xf32>
// CHECK-NOT: arith.select
// CHECK: vector.reduction <add>, %{{.*}} : vector<2xf32>
func.func private @short(%x: memref<3xf32>, %y: memref<2xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 3 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<3xf32>
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  %t = loop.for serial "k" %k = 1 to 3 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<3xf32>
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  loop.store %s, %y[0] : memref<2xf32>
  loop.store %t, %y[1] : memref<2xf32>
  return
}

// CHECK-LABEL: @refused
// CHECK: loop.for serial "k" %{{.*}} = 0 to 8 iter_args
// CHECK: loop.for serial "k" %{{.*}} = 0 to 4 iter_args
// REMARK-DAG: remark: reduction 'k' not vectorized: a load does not go through evenly spaced elements of one dim
// REMARK-DAG: remark: reduction 'k' not vectorized: the carried value is not a sum, product, maximum or minimum
func.func private @refused(%x: memref<8xf32>, %y: memref<4xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %difference = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<8xf32>
    %next = arith.subf %acc, %a : f32
    loop.yield %next : f32
  }
  %twice = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<8xf32>
    %b = arith.mulf %acc, %a : f32
    %next = arith.addf %acc, %b : f32
    loop.yield %next : f32
  }
  %uneven = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k floordiv 2] : memref<8xf32>
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  loop.store %difference, %y[0] : memref<4xf32>
  loop.store %twice, %y[2] : memref<4xf32>
  loop.store %uneven, %y[3] : memref<4xf32>
  return
}

// Every second number: lanes would read the ones between.
// CHECK-LABEL: @step
// CHECK: loop.for serial "k" %{{.*}} = 1 to 37 step 2 iter_args
// REMARK-DAG: remark: reduction 'k' not vectorized: its step is 2, so lanes would not be consecutive elements
func.func private @step(%x: memref<37xf32>, %y: memref<1xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 1 to 37 step 2 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<37xf32>
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  loop.store %s, %y[0] : memref<1xf32>
  return
}

// An iteration reads what the one before it wrote.
// CHECK-LABEL: @recurrence
// CHECK: loop.for serial "k" %{{.*}} = 0 to 8 iter_args(%{{.*}} = %{{.*}}) -> (f32) {
// REMARK: remark: reduction 'k' not vectorized: an iteration {{reads|writes}} an element of '%y' that another one touches
func.func private @recurrence(%y: memref<9xf32> {mlc.output}, %z: memref<1xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  loop.store %one, %y[0] : memref<9xf32>
  %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %one) -> (f32) {
    %p = loop.load %y[%k] : memref<9xf32>
    %q = arith.addf %p, %one : f32
    loop.store %q, %y[%k + 1] : memref<9xf32>
    %c = arith.addf %acc, %p : f32
    loop.yield %c : f32
  }
  loop.store %s, %z[0] : memref<1xf32>
  return
}

// A running sum that is stored is no reduction.
// CHECK-LABEL: @scan
// CHECK: loop.for serial "k" %{{.*}} = 0 to 8 iter_args(%{{.*}} = %{{.*}}) -> (f32) {
// REMARK: remark: reduction 'k' not vectorized: partial results of it are used
func.func private @scan(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<8xf32>
    %c = arith.addf %acc, %a : f32
    loop.store %c, %y[%k] : memref<8xf32>
    loop.yield %c : f32
  }
  return
}

// A sum of the counter itself: lanes have no values of it.
// CHECK-LABEL: @counter
// CHECK: loop.for serial "k" %{{.*}} = 0 to 8 iter_args
// REMARK: remark: reduction 'k' not vectorized: 'arith.addi' uses the counter itself
func.func private @counter(%y: memref<1xindex> {mlc.output}) {
  %zero = arith.constant 0 : index
  %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (index) {
    %b = arith.addi %acc, %k : index
    loop.yield %b : index
  }
  loop.store %s, %y[0] : memref<1xindex>
  return
}

// That a sum from front to back never overflows says nothing about those of every fourth number.
// CHECK-LABEL: @promises
// CHECK-NOT: overflow
// CHECK: arith.addi %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK-NOT: overflow
// CHECK: return
func.func private @promises(%x: memref<8xi32>, %y: memref<1xi32> {mlc.output}) {
  %zero = arith.constant 0 : i32
  %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (i32) {
    %a = loop.load %x[%k] : memref<8xi32>
    %b = arith.addi %acc, %a overflow<nsw> : i32
    loop.yield %b : i32
  }
  loop.store %s, %y[0] : memref<1xi32>
  return
}
