// RUN: mlc-opt %s --apply-schedule | filecheck %s
// RUN: mlc-opt %s --apply-schedule 2>&1 >%t | filecheck %s --check-prefix=WARNING

// A register tile of 2 rows x 2 vectors: four accumulators, four multiply-adds for two vector and two scalar loads.
// CHECK-LABEL: @matmul
// CHECK-NOT: schedule
// CHECK: loop.for parallel "n" %[[N:.*]] = 0 to 16 step 8 {
// CHECK-NEXT: loop.for parallel "m" %[[M:.*]] = 0 to 4 step 2 {
// CHECK: loop.for serial "k" %[[K:.*]] = 0 to 8 iter_args(%{{.*}}) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
// CHECK-NEXT: loop.load %{{.*}}[%[[M]], %[[K]]] : memref<4x8xf32>
// CHECK-NEXT: loop.load %{{.*}}[%[[M]] + 1, %[[K]]] : memref<4x8xf32>
// CHECK-NEXT: loop.load %{{.*}}[%[[K]], %[[N]]] : memref<8x16xf32>, vector<4xf32>
// CHECK-NEXT: loop.load %{{.*}}[%[[K]], %[[N]] + 4] : memref<8x16xf32>, vector<4xf32>
// CHECK-NEXT: vector.broadcast
// CHECK-NEXT: vector.broadcast
// CHECK-COUNT-4: math.fma %{{.*}} : vector<4xf32>
// CHECK-NEXT: loop.yield
// CHECK: loop.store %{{.*}}, %{{.*}}[%[[M]] + 1, %[[N]] + 4] : memref<4x16xf32>, vector<4xf32>
func.func private @matmul(%x: memref<4x8xf32>, %w: memref<8x16xf32>, %y: memref<4x16xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[interchange(n, m), tile(m, 2), tile(n, 8), tile(ni, 4), vectorize(nii), unroll(ni), unroll(mi)]>
} {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 16 {
      %zero = arith.constant 0.0 : f32
      %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %x[%m, %k] : memref<4x8xf32>
        %b = loop.load %w[%k, %n] : memref<8x16xf32>
        %next = math.fma %a, %b, %acc : f32
        loop.yield %next : f32
      }
      loop.store %s, %y[%m, %n] : memref<4x16xf32>
    }
  }
  return
}

// Tiling the reduction by hand: both loops carry the sum, and the order of additions stays.
// CHECK-LABEL: @reduction
// CHECK: loop.for serial "k" %[[K:.*]] = 0 to 8 step 4 iter_args
// CHECK-NEXT: loop.for serial "ki" %[[KI:.*]] = 0 to 4 iter_args
// CHECK-NEXT: loop.load %{{.*}}[%[[K]] + %[[KI]]]
// CHECK: loop.load %{{.*}}[%{{.*}} + 8]
func.func private @reduction(%x: memref<10xf32>, %y: memref<1xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[tile(k, 4)]>
} {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 10 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<10xf32>
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  loop.store %s, %y[0] : memref<1xf32>
  return
}

// A step that a loop does not allow leaves it alone.
// CHECK-LABEL: @refused
// CHECK: loop.for serial "k"
// WARNING: warning: schedule step 'vectorize(k)': loop 'k' not vectorized: its iterations depend on each other
// WARNING: warning: schedule step 'threads(k)': loop 'k' not spread over threads: its iterations depend on each other
func.func private @refused(%x: memref<9xf32> {mlc.output}) attributes {schedule = #loop.schedule<[vectorize(k), threads(k)]>} {
  loop.for serial "k" %k = 0 to 8 {
    %a = loop.load %x[%k] : memref<9xf32>
    loop.store %a, %x[%k + 1] : memref<9xf32>
  }
  return
}

// Where an argument cannot be packed, there are no loops that pack it.
// CHECK-LABEL: @not_packed
// CHECK: loop.for parallel "n"
// WARNING: warning: schedule step 'pack(x, n)': 'x' not packed: 'loop.store' uses the whole buffer
// WARNING: warning: schedule step 'tile(x_lane, 2)' changes nothing
func.func private @not_packed(%x: memref<8xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[tile(n, 4), pack(x, n), tile(x_lane, 2)]>
} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 8 {
    loop.store %zero, %x[%n] : memref<8xf32>
  }
  return
}

// Steps that would write out thousands of ops leave the loop as it is.
// CHECK-LABEL: @too_much
// CHECK: loop.for parallel "n" %{{.*}} = 0 to 32768 step 128 {
// WARNING: warning: schedule step 'unroll(n)': loop 'n' not unrolled: it would become {{[0-9]+}} ops
func.func private @too_much(%x: memref<32768xf32>, %y: memref<32768xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[tile(n, 128), unroll(ni), unroll(n)]>
} {
  loop.for parallel "n" %n = 0 to 32768 {
    %a = loop.load %x[%n] : memref<32768xf32>
    loop.store %a, %y[%n] : memref<32768xf32>
  }
  return
}

// A step without any effect is told, too: there is one loop only, and no padded image.
// WARNING: warning: schedule step 'fuse(m)' changes nothing
// WARNING: warning: schedule step 'partition(m)' changes nothing
// WARNING-NOT: warning
func.func private @idle(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[fuse(m), partition(m), vectorize(m)]>} {
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %y[%m] : memref<8xf32>
  }
  return
}
