// RUN: mlc-opt %s --apply-schedule --check-each 2>%t | filecheck %s
// RUN: filecheck %s --check-prefix=WARN < %t

// What was computed for an element waits where its result will be.
// CHECK-LABEL: @rows
// CHECK-NOT: memref.alloc
// CHECK: loop.store %{{.*}}, %y[%m, %n]
// CHECK: loop.load %y[%m, %k]
// CHECK: loop.load %y[%m, %[[N:n.*]]]
// CHECK: loop.store %{{.*}}, %y[%m, %[[N]]]
func.func @rows(%x: memref<6x5xf32>, %y: memref<6x5xf32> {mlc.output}) attributes {schedule = #loop.schedule<[reuse_result(n)]>} {
  %t = memref.alloc() : memref<6x5xf32>
  loop.for parallel "m" %m = 0 to 6 {
    loop.for parallel "c" %n = 0 to 5 {
      %0 = loop.load %x[%m, %n] : memref<6x5xf32>
      %1 = arith.mulf %0, %0 : f32
      loop.store %1, %t[%m, %n] : memref<6x5xf32>
    }
    %zero = arith.constant 0.0 : f32
    %s = loop.for serial "k" %k = 0 to 5 iter_args(%acc = %zero) -> (f32) {
      %2 = loop.load %t[%m, %k] : memref<6x5xf32>
      %3 = arith.addf %acc, %2 : f32
      loop.yield %3 : f32
    }
    loop.for parallel "n" %n2 = 0 to 5 {
      %4 = loop.load %t[%m, %n2] : memref<6x5xf32>
      %5 = arith.subf %4, %s : f32
      loop.store %5, %y[%m, %n2] : memref<6x5xf32>
    }
  }
  return
}

// A later iteration reads what an earlier one has stored a result for.
// CHECK-LABEL: @neighbours
// CHECK: memref.alloc
// WARN: warning: schedule step 'reuse_result(n)': what loop 'n' reads has a buffer of its own: an element of '%t' is in use when its result is stored already
func.func @neighbours(%x: memref<5xf32>, %y: memref<5xf32> {mlc.output}) attributes {schedule = #loop.schedule<[reuse_result(n)]>} {
  %t = memref.alloc() : memref<5xf32>
  loop.for parallel "c" %n = 0 to 5 {
    %0 = loop.load %x[%n] : memref<5xf32>
    loop.store %0, %t[%n] : memref<5xf32>
  }
  loop.for serial "n" %n = 0 to 5 {
    %1 = loop.load %t[%n] : memref<5xf32>
    %2 = loop.load %t[0] : memref<5xf32>
    %3 = arith.addf %1, %2 : f32
    loop.store %3, %y[%n] : memref<5xf32>
  }
  return
}

// An iteration that may run later reads what this one has stored a result for, though it stands in front.
// CHECK-LABEL: @race
// CHECK: memref.alloc
// WARN: schedule step 'reuse_result(n)': {{.*}} an element of '%t' is in use
func.func @race(%x: memref<6xf32>, %y: memref<6xf32> {mlc.output}) attributes {schedule = #loop.schedule<[reuse_result(n)]>} {
  %t = memref.alloc() : memref<6xf32>
  loop.for parallel "c" %n = 0 to 6 {
    %0 = loop.load %x[%n] : memref<6xf32>
    loop.store %0, %t[%n] : memref<6xf32>
  }
  loop.for parallel "n" %n = 0 to 6 {
    %1 = loop.load %t[%n] : memref<6xf32>
    %2 = loop.load %t[5] : memref<6xf32>
    %3 = arith.addf %1, %2 : f32
    loop.store %3, %y[%n] : memref<6xf32>
  }
  return
}

// Something behind the loop reads the buffer.
// CHECK-LABEL: @behind
// CHECK: memref.alloc
// WARN: schedule step 'reuse_result(n)': {{.*}} an element of '%t' is in use
func.func @behind(%x: memref<5xf32>, %y: memref<5xf32> {mlc.output}, %z: memref<1xf32> {mlc.output}) attributes {schedule = #loop.schedule<[reuse_result(n)]>} {
  %t = memref.alloc() : memref<5xf32>
  loop.for parallel "c" %n = 0 to 5 {
    %0 = loop.load %x[%n] : memref<5xf32>
    loop.store %0, %t[%n] : memref<5xf32>
  }
  loop.for parallel "n" %n = 0 to 5 {
    %1 = loop.load %t[%n] : memref<5xf32>
    %2 = arith.addf %1, %1 : f32
    loop.store %2, %y[%n] : memref<5xf32>
  }
  %3 = loop.load %t[3] : memref<5xf32>
  loop.store %3, %z[0] : memref<1xf32>
  return
}

// What the loop leaves alone of the result would be changed.
// CHECK-LABEL: @an_edge
// CHECK: memref.alloc
// WARN: schedule step 'reuse_result(n)': {{.*}} not every element of the result is stored, each once
func.func @an_edge(%x: memref<5xf32>, %y: memref<5xf32> {mlc.output}) attributes {schedule = #loop.schedule<[reuse_result(n)]>} {
  %t = memref.alloc() : memref<5xf32>
  loop.for parallel "c" %n = 0 to 5 {
    %0 = loop.load %x[%n] : memref<5xf32>
    loop.store %0, %t[%n] : memref<5xf32>
  }
  loop.for parallel "n" %n = 0 to 4 {
    %1 = loop.load %t[%n] : memref<5xf32>
    loop.store %1, %y[%n] : memref<5xf32>
  }
  return
}

// The buffer has other elements.
// CHECK-LABEL: @other_type
// CHECK: memref.alloc
// WARN: schedule step 'reuse_result(n)': {{.*}}: it reads no buffer of the function and stores a result of that type for it
func.func @other_type(%x: memref<5xf32>, %y: memref<5xf64> {mlc.output}) attributes {schedule = #loop.schedule<[reuse_result(n)]>} {
  %t = memref.alloc() : memref<5xf32>
  loop.for parallel "c" %n = 0 to 5 {
    %0 = loop.load %x[%n] : memref<5xf32>
    loop.store %0, %t[%n] : memref<5xf32>
  }
  loop.for parallel "n" %n = 0 to 5 {
    %1 = loop.load %t[%n] : memref<5xf32>
    %2 = arith.extf %1 : f32 to f64
    loop.store %2, %y[%n] : memref<5xf64>
  }
  return
}
