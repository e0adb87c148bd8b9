// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Each iteration has a buffer of its own, and neighbours that nobody writes.
// CHECK-LABEL: @own_buffer
// CHECK: loop.for parallel "i"
func.func @own_buffer(%x: memref<9xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "i" %i = 0 to 8 {
    %t = memref.alloc() : memref<1xf32>
    %a = loop.load %x[%i + 1] : memref<9xf32>
    loop.store %a, %t[0] : memref<1xf32>
    %b = loop.load %t[0] : memref<1xf32>
    loop.store %b, %y[%i] : memref<8xf32>
  }
  return
}

// Even and odd elements; a serial loop inside may do what it wants to elements of its own.
// CHECK-LABEL: @interleaved
// CHECK: loop.for threads "i"
func.func @interleaved(%y: memref<8x5xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  loop.for threads "i" %i = 0 to 4 {
    loop.store %one, %y[%i * 2, 0] : memref<8x5xf32>
    loop.store %one, %y[%i * 2 + 1, 0] : memref<8x5xf32>
    loop.for serial "j" %j = 0 to 4 {
      %a = loop.load %y[%i * 2, %j] : memref<8x5xf32>
      loop.store %a, %y[%i * 2, %j + 1] : memref<8x5xf32>
    }
  }
  return
}
