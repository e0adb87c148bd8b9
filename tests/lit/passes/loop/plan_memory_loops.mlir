// RUN: mlc-opt --plan-memory --check-each %s | filecheck %s

func.func private @step(%a: memref<64xf32>, %y: memref<64xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 64 {
    %0 = loop.load %a[%n] : memref<64xf32>
    %1 = arith.addf %0, %0 : f32
    loop.store %1, %y[%n] : memref<64xf32>
  }
  return
}

// The first and the third buffer of a step are never needed at once; the two that take turns live as long as the loop.
// CHECK-LABEL: @turns
// CHECK-SAME:  %workspace: memref<1024xi8> {mlc.workspace}
func.func @turns(%x: memref<64xf32>, %out: memref<64xf32> {mlc.output}) {
  // CHECK: %[[A:.*]] = arith.constant 0 : index
  // CHECK: %[[B:.*]] = arith.constant 256 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  // CHECK: loop.for
  %r:3 = loop.for serial "step" %step = 0 to 4 iter_args(%s = %x, %this = %a, %other = %b) -> (memref<64xf32>, memref<64xf32>, memref<64xf32>) {
    // CHECK: arith.constant 512 : index
    %0 = memref.alloc() : memref<64xf32>
    func.call @step(%s, %0) : (memref<64xf32>, memref<64xf32>) -> ()
    // CHECK: arith.constant 768 : index
    %1 = memref.alloc() : memref<64xf32>
    func.call @step(%0, %1) : (memref<64xf32>, memref<64xf32>) -> ()
    // CHECK: arith.constant 512 : index
    %2 = memref.alloc() : memref<64xf32>
    func.call @step(%1, %2) : (memref<64xf32>, memref<64xf32>) -> ()
    func.call @step(%2, %this) : (memref<64xf32>, memref<64xf32>) -> ()
    loop.yield %this, %other, %this : memref<64xf32>, memref<64xf32>, memref<64xf32>
  }
  // CHECK: arith.constant 512 : index
  %3 = memref.alloc() : memref<64xf32>
  func.call @step(%r#0, %3) : (memref<64xf32>, memref<64xf32>) -> ()
  func.call @step(%3, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// A buffer that a step hands on to the next one lives as long as the loop, and as what the loop gives.
// CHECK-LABEL: @handed_on
func.func @handed_on(%x: memref<64xf32>, %out: memref<64xf32> {mlc.output}) {
  // CHECK: loop.for
  %r = loop.for serial "step" %step = 0 to 4 iter_args(%s = %x) -> (memref<64xf32>) {
    // CHECK: arith.constant [[KEPT:.*]] : index
    %0 = memref.alloc() : memref<64xf32>
    func.call @step(%x, %0) : (memref<64xf32>, memref<64xf32>) -> ()
    // CHECK-NOT: arith.constant [[KEPT]] : index
    %1 = memref.alloc() : memref<64xf32>
    func.call @step(%s, %1) : (memref<64xf32>, memref<64xf32>) -> ()
    loop.yield %0 : memref<64xf32>
  }
  %2 = memref.alloc() : memref<64xf32>
  func.call @step(%r, %2) : (memref<64xf32>, memref<64xf32>) -> ()
  func.call @step(%2, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
