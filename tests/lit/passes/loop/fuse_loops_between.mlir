// RUN: mlc-opt %s --fuse-loops="loops=m" --check-each | filecheck %s
// RUN: mlc-opt %s --fuse-loops="loops=m" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// What stands between two loops: ops that the second one needs move in front of both, with what these need.

// CHECK-LABEL: @values
// CHECK-NEXT: %[[TWO:.*]] = arith.constant
// CHECK-NEXT: %[[FOUR:.*]] = arith.mulf %[[TWO]], %[[TWO]]
// CHECK-NEXT: %[[EIGHT:.*]] = arith.mulf %[[FOUR]], %[[TWO]]
// CHECK-NEXT: loop.for parallel "m"
// CHECK-NOT: loop.for
// CHECK: return
func.func private @values(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}, %z: memref<8xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %y[%m] : memref<8xf32>
  }
  %two = arith.constant 2.0 : f32
  %four = arith.mulf %two, %two : f32
  %eight = arith.mulf %four, %two : f32
  loop.for parallel "m" %m = 0 to 8 {
    loop.store %eight, %z[%m] : memref<8xf32>
  }
  return
}

// A load moves over a store elsewhere, and a store that the second loop does not touch stays behind both.
// CHECK-LABEL: @load_over_store
// CHECK: loop.load %x[0]
// CHECK-NEXT: loop.for parallel "m"
// CHECK-NOT: loop.for
// CHECK: loop.store %{{.*}}, %w[1]
// CHECK: return
func.func private @load_over_store(%x: memref<8xf32>, %w: memref<2xf32> {mlc.output}, %y: memref<8xf32> {mlc.output},
                                   %z: memref<8xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  loop.store %one, %w[0] : memref<2xf32>
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %y[%m] : memref<8xf32>
  }
  loop.store %one, %w[1] : memref<2xf32>
  %first = loop.load %x[0] : memref<8xf32>
  loop.for parallel "m" %m = 0 to 8 {
    loop.store %first, %z[%m] : memref<8xf32>
  }
  return
}

// A load that would move over a store to where it reads.
// CHECK-LABEL: @load_behind_store
// CHECK-COUNT-2: loop.for parallel "m"
// REMARK: remark: loop 'm' not fused with the one before it: 'loop.load' in between reads what is written there
func.func private @load_behind_store(%x: memref<8xf32>, %w: memref<2xf32> {mlc.output}, %y: memref<8xf32> {mlc.output},
                                     %z: memref<8xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  loop.store %one, %w[0] : memref<2xf32>
  loop.store %one, %w[1] : memref<2xf32>
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %y[%m] : memref<8xf32>
  }
  loop.store %two, %w[1] : memref<2xf32>
  %new = loop.load %w[1] : memref<2xf32>
  loop.for parallel "m" %m = 0 to 8 {
    loop.store %new, %z[%m] : memref<8xf32>
  }
  return
}

// The second loop would come in front of a store that overwrites what it stores, and of one that it reads.
// CHECK-LABEL: @store_in_between
// CHECK-COUNT-3: loop.for parallel "m"
// REMARK: remark: loop 'm' not fused with the one before it: 'loop.store' in between touches what it touches
// REMARK: remark: loop 'm' not fused with the one before it: 'loop.store' in between touches what it touches
func.func private @store_in_between(%x: memref<8xf32>, %w: memref<8xf32> {mlc.output}, %y: memref<8xf32> {mlc.output},
                                    %z: memref<8xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %y[%m] : memref<8xf32>
    loop.store %a, %w[%m] : memref<8xf32>
  }
  loop.store %one, %z[3] : memref<8xf32>
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %z[%m] : memref<8xf32>
  }
  loop.store %one, %w[5] : memref<8xf32>
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %w[%m] : memref<8xf32>
    loop.store %a, %y[%m] : memref<8xf32>
  }
  return
}

// A sum that is needed, but also stores: it stays where it is. So does a call.
// CHECK-LABEL: @effects
// CHECK: loop.for parallel "m"
// CHECK: loop.for serial "k"
// CHECK: loop.for parallel "m"
// CHECK: func.call
// CHECK: loop.for parallel "m"
// REMARK: remark: loop 'm' not fused with the one before it: 'loop.for' in between cannot move
// REMARK: remark: loop 'm' not fused with the one before it: 'func.call' in between cannot move
func.func private @effects(%x: memref<8xf32>, %w: memref<8xf32> {mlc.output}, %y: memref<8xf32> {mlc.output},
                           %z: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %y[%m] : memref<8xf32>
  }
  %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<8xf32>
    %c = arith.addf %acc, %a : f32
    loop.store %c, %w[%k] : memref<8xf32>
    loop.yield %c : f32
  }
  loop.for parallel "m" %m = 0 to 8 {
    loop.store %s, %z[%m] : memref<8xf32>
  }
  %n = func.call @number() : () -> f32
  loop.for parallel "m" %m = 0 to 8 {
    loop.store %n, %z[%m] : memref<8xf32>
  }
  return
}

func.func private @number() -> f32 {
  %one = arith.constant 1.0 : f32
  return %one : f32
}

// What has been fused counts for the next one: the third loop reads what another iteration of the second one stores.
// CHECK-LABEL: @third
// CHECK-COUNT-2: loop.for parallel "m"
// CHECK-NOT: loop.for
// CHECK: return
// REMARK: remark: loop 'm' not fused with the one before it: an iteration touches what other iterations of the other one touch
func.func private @third(%x: memref<8xf32>, %w: memref<8xf32> {mlc.output}, %y: memref<8xf32> {mlc.output},
                         %z: memref<8xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %y[%m] : memref<8xf32>
  }
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %w[%m] : memref<8xf32>
  }
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %w[7 - %m] : memref<8xf32>
    loop.store %a, %z[%m] : memref<8xf32>
  }
  return
}

// A loop that cannot be fused with the one before it may be fused with the one behind it.
// CHECK-LABEL: @last_two
// CHECK: loop.for parallel "m"
// CHECK: loop.for parallel "m"
// CHECK: loop.store %{{.*}}, %z[
// CHECK-NEXT: loop.load %z[
// CHECK-NOT: loop.for
// CHECK: return
func.func private @last_two(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}, %z: memref<8xf32> {mlc.output},
                            %w: memref<8xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %y[%m] : memref<8xf32>
  }
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %y[7 - %m] : memref<8xf32>
    loop.store %a, %z[%m] : memref<8xf32>
  }
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %z[%m] : memref<8xf32>
    loop.store %a, %w[%m] : memref<8xf32>
  }
  return
}

// Loops of another kind, and of another range that is as long.
// CHECK-LABEL: @others
// CHECK: loop.for parallel "m" %{{.*}} = 0 to 8 {
// CHECK: loop.for serial "m" %{{.*}} = 0 to 8 {
// CHECK: loop.for parallel "m" %{{.*}} = 1 to 9 {
// CHECK-NOT: loop.for
// CHECK: return
func.func private @others(%x: memref<9xf32>, %y: memref<8xf32> {mlc.output}, %z: memref<8xf32> {mlc.output},
                          %w: memref<8xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<9xf32>
    loop.store %a, %y[%m] : memref<8xf32>
  }
  loop.for serial "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<9xf32>
    loop.store %a, %z[%m] : memref<8xf32>
  }
  loop.for parallel "m" %m = 1 to 9 {
    %a = loop.load %x[%m] : memref<9xf32>
    loop.store %a, %w[%m - 1] : memref<8xf32>
  }
  return
}

// Of serial loops, what an iteration hands on to later ones may come from the other loop; to earlier ones it may not.
// CHECK-LABEL: @handed_on
// CHECK: loop.for serial "m"
// CHECK-NOT: loop.for
// CHECK-LABEL: @handed_back
// CHECK-COUNT-2: loop.for serial "m"
func.func private @handed_on(%x: memref<8xf32>, %y: memref<9xf32> {mlc.output}, %z: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %y[0] : memref<9xf32>
  loop.for serial "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %y[%m + 1] : memref<9xf32>
  }
  loop.for serial "m" %m = 0 to 8 {
    %a = loop.load %y[%m] : memref<9xf32>
    loop.store %a, %z[%m] : memref<8xf32>
  }
  return
}
func.func private @handed_back(%x: memref<8xf32>, %y: memref<9xf32> {mlc.output}, %z: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %y[8] : memref<9xf32>
  loop.for serial "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %y[%m] : memref<9xf32>
  }
  loop.for serial "m" %m = 0 to 8 {
    %a = loop.load %y[%m + 1] : memref<9xf32>
    loop.store %a, %z[%m] : memref<8xf32>
  }
  return
}
