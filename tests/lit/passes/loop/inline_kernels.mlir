// RUN: mlc-opt %s --inline-kernels --check-each | filecheck %s
// RUN: mlc-opt %s --inline-kernels --forward-stores --check-each | filecheck %s --check-prefix=REGISTERS
// RUN: mlc-opt %s --inline-kernels="max_ops=5" | filecheck %s --check-prefix=FEW
// RUN: mlc-opt %s --inline-kernels="max_body=17" --remarks 2>&1 | filecheck %s --check-prefix=BODY

// What only loops have called is gone; what is called elsewhere stays, and so does what is long or has loads of unknown
// effects.
// CHECK-NOT:  @half
// CHECK:      func.func private @grow
// CHECK-NOT:  @half
// CHECK:      func.func private @long
func.func private @half(%x: memref<3xf32>, %y: memref<3xf32> {mlc.output}) {
  %c = arith.constant 0.5 : f32
  loop.for parallel "n" %n = 0 to 3 {
    %0 = loop.load %x[%n] : memref<3xf32>
    %1 = arith.mulf %0, %c : f32
    loop.store %1, %y[%n] : memref<3xf32>
  }
  return
}
func.func private @grow(%x: memref<3xf32>, %y: memref<3xf32> {mlc.output}) {
  loop.for serial "n" %n = 0 to 3 {
    %0 = loop.load %x[%n] : memref<3xf32>
    %1 = arith.addf %0, %0 : f32
    loop.store %1, %y[%n] : memref<3xf32>
  }
  return
}
func.func private @long(%x: memref<3xf32>, %y: memref<3xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 3 {
    %z = arith.constant 0.0 : f32
    %s = loop.for serial "k" %k = 0 to 30 iter_args(%a = %z) -> (f32) {
      %0 = loop.load %x[%n] : memref<3xf32>
      %1 = arith.addf %a, %0 : f32
      loop.yield %1 : f32
    }
    loop.store %s, %y[%n] : memref<3xf32>
  }
  return
}

// CHECK-LABEL:  func.func @model(
// CHECK:        loop.for serial "step"
// CHECK:          %[[T:.*]] = memref.alloc()
// CHECK:          loop.load %s[0]
// CHECK-NOT:      call
// CHECK:          loop.store %{{.*}}, %[[T]][2]
// CHECK:          loop.load %[[T]][0]
// CHECK-NOT:      loop.for
// CHECK:          loop.store %{{.*}}, %row[0]
// CHECK:          loop.store %{{.*}}, %row[2]
// CHECK:          call @long
// CHECK:          loop.yield
// CHECK:        call @grow

// REGISTERS-LABEL: func.func @model(
// REGISTERS:       loop.for serial "step"
// REGISTERS-NEXT:    loop.row
// REGISTERS-NEXT:    arith.constant 5.0{{.*}} : f32
// REGISTERS-NEXT:    %[[A:.*]] = loop.load %s[0]
// REGISTERS-NEXT:    %[[B:.*]] = loop.load %s[1]
// REGISTERS-NEXT:    %[[C:.*]] = loop.load %s[2]
// REGISTERS-NEXT:    %[[AH:.*]] = arith.mulf %[[A]], %{{.*}} : f32
// REGISTERS-NEXT:    %[[BH:.*]] = arith.mulf %[[B]]
// REGISTERS-NEXT:    %[[CH:.*]] = arith.mulf %[[C]]
// REGISTERS-NEXT:    %[[AG:.*]] = arith.addf %[[AH]], %[[AH]]
// REGISTERS-NEXT:    loop.store %[[AG]], %row[0]

// Each of the two executes 9 operations.
// FEW:   call @half
// FEW:   call @grow
// BODY:  remark: small kernels are called: 18 operations; a loop takes 17
// BODY:  call @half
func.func @model(%start: memref<3xf32>, %out: memref<4x3xf32> {mlc.output}, %last: memref<3xf32> {mlc.output},
                 %sum: memref<3xf32> {mlc.output}) {
  %end = loop.for serial "step" %step = 0 to 4 iter_args(%s = %start) -> (memref<3xf32>) {
    %row = loop.row %out[%step] : memref<4x3xf32> -> memref<3xf32>
    %t = memref.alloc() : memref<3xf32>
    func.call @half(%s, %t) : (memref<3xf32>, memref<3xf32>) -> ()
    func.call @grow(%t, %row) : (memref<3xf32>, memref<3xf32>) -> ()
    func.call @long(%s, %sum) : (memref<3xf32>, memref<3xf32>) -> ()
    loop.yield %row : memref<3xf32>
  }
  func.call @grow(%start, %last) : (memref<3xf32>, memref<3xf32>) -> ()
  return
}

// A kernel may change what it reads: the order stays.
// CHECK-LABEL: func.func @in_place(
// CHECK:         loop.for serial "step"
// CHECK:           %[[A:.*]] = loop.load %out[0]
// CHECK:           loop.store %{{.*}}, %out[0]
// CHECK:           loop.load %out[1]
// CHECK:           loop.store %{{.*}}, %out[1]
func.func @in_place(%out: memref<3xf32> {mlc.output}) {
  loop.for serial "step" %step = 0 to 4 {
    func.call @grow(%out, %out) : (memref<3xf32>, memref<3xf32>) -> ()
  }
  return
}
