// RUN: mlc-opt %s --apply-schedule --check-each | filecheck %s

// What an iteration of g reads of w is widened in front of all rows, which read it from the buffer.

// CHECK-LABEL: @groups(%x: memref<4x32xf32>, %w: memref<32x5xi8>, %y: memref<4x2x5xf32>
// CHECK:         loop.for parallel "g" %g = 0 to 2 {
// CHECK-NEXT:      %[[BUFFER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16x5xf32>
// CHECK-NEXT:      loop.for parallel "w_0" %[[K:.*]] = 0 to 16 {
// CHECK-NEXT:        loop.for parallel "w_1" %[[N:.*]] = 0 to 5 {
// CHECK-NEXT:          %[[B:.*]] = loop.load %w[%g * 16 + %[[K]], %[[N]]]
// CHECK-NEXT:          %[[C:.*]] = arith.extsi %[[B]] : i8 to i32
// CHECK-NEXT:          %[[D:.*]] = arith.sitofp %[[C]] : i32 to f32
// CHECK-NEXT:          loop.store %[[D]], %[[BUFFER]][%[[K]], %[[N]]]
// CHECK:           loop.for parallel "m"
// CHECK:             loop.for parallel "n"
// CHECK:               loop.for serial "k"
// CHECK-NEXT:            loop.load %x
// CHECK-NEXT:            loop.load %[[BUFFER]][%k, %n] : memref<16x5xf32>
// CHECK-NEXT:            math.fma
func.func private @groups(%x: memref<4x32xf32>, %w: memref<32x5xi8>, %y: memref<4x2x5xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[cache_read(w, g)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "g" %g = 0 to 2 {
    loop.for parallel "m" %m = 0 to 4 {
      loop.for parallel "n" %n = 0 to 5 {
        %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
          %a = loop.load %x[%m, %g * 16 + %k] : memref<4x32xf32>
          %b = loop.load %w[%g * 16 + %k, %n] : memref<32x5xi8>
          %c = arith.extsi %b : i8 to i32
          %d = arith.sitofp %c : i32 to f32
          %e = math.fma %a, %d, %acc : f32
          loop.yield %e : f32
        }
        loop.store %s, %y[%m, %g, %n] : memref<4x2x5xf32>
      }
    }
  }
  return
}

// Loops that begin later, in steps, and blocks of one axis: what is read starts where they do. Several rows of blocks
// share the buffer. A number that is not widened is copied.

// CHECK-LABEL: @blocks(%x: memref<48xf32>, %y: memref<3x9xf32>
// CHECK:         loop.for parallel "n" %n = 3 to 9 step 3 {
// CHECK-NEXT:      %[[BUFFER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<7xf32>
// CHECK-NEXT:      loop.for parallel "x_0" %[[I:.*]] = 0 to 7 {
// CHECK-NEXT:        %[[A:.*]] = loop.load %x[%n * 4 + %[[I]] + 4]
// CHECK-NEXT:        loop.store %[[A]], %[[BUFFER]][%[[I]]]
// CHECK:           loop.for parallel "m" %m = 1 to 3 {
// CHECK-NEXT:        loop.for parallel "ni" %ni = 0 to 3 {
// CHECK-NEXT:          loop.load %[[BUFFER]][%ni * 2 + %m * 2 - 2]
func.func private @blocks(%x: memref<48xf32>, %y: memref<3x9xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[cache_read(x, n)]>} {
  loop.for parallel "n" %n = 3 to 9 step 3 {
    loop.for parallel "m" %m = 1 to 3 {
      loop.for parallel "ni" %ni = 0 to 3 {
        %a = loop.load %x[%n * 4 + %ni * 2 + %m * 2 + 2] : memref<48xf32>
        loop.store %a, %y[%m, %n + %ni] : memref<3x9xf32>
      }
    }
  }
  return
}

// Weights of four bits are unpacked where they are widened, if words lie along the innermost loop that copies.

// CHECK-LABEL: @unpacked(%x: memref<4x16xf32>, %w: memref<2x5xi32>, %y: memref<4x5xf32>
// CHECK:           loop.for parallel "w_1" %[[N:.*]] = 0 to 5 {
// CHECK-NEXT:        loop.for parallel "w_0" %[[K:.*]] = 0 to 2 {
// CHECK-NEXT:          %[[WORD:.*]] = loop.load %w[%[[K]], %[[N]]] : memref<2x5xi32>
// CHECK-NEXT:          %[[A:.*]] = loop.unpack %[[WORD]][0] : i32 to f32
// CHECK-NEXT:          loop.store %[[A]], %[[BUFFER:.*]][%[[K]] * 8, %[[N]]] : memref<16x5xf32>
// CHECK-NEXT:          %[[B:.*]] = loop.unpack %[[WORD]][1] : i32 to f32
// CHECK-NEXT:          loop.store %[[B]], %[[BUFFER]][%[[K]] * 8 + 1, %[[N]]]
// CHECK-COUNT-6:       loop.unpack
// CHECK-NOT:           loop.unpack
func.func private @unpacked(%x: memref<4x16xf32>, %w: memref<16x5xi8>, %y: memref<4x5xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[cache_read(w, o), interchange(w_1, w_0), unpack(w_0)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "o" %o = 0 to 1 {
    loop.for parallel "m" %m = 0 to 4 {
      loop.for parallel "n" %n = 0 to 5 {
        %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
          %a = loop.load %x[%m, %k] : memref<4x16xf32>
          %b = loop.load %w[%k, %n] : memref<16x5xi8>
          %c = arith.extsi %b : i8 to i32
          %d = arith.sitofp %c : i32 to f32
          %e = math.fma %a, %d, %acc : f32
          loop.yield %e : f32
        }
        loop.store %s, %y[%m, %n] : memref<4x5xf32>
      }
    }
  }
  return
}

func.func @main(%x: memref<4x32xf32>, %v: memref<48xf32>, %u: memref<4x16xf32>, %y: memref<4x2x5xf32> {mlc.output}, %z: memref<3x9xf32> {mlc.output}, %t: memref<4x5xf32> {mlc.output}) {
  %w = loop.constant dense<-8> : tensor<32x5xi8> to memref<32x5xi8>
  func.call @groups(%x, %w, %y) : (memref<4x32xf32>, memref<32x5xi8>, memref<4x2x5xf32>) -> ()
  func.call @blocks(%v, %z) : (memref<48xf32>, memref<3x9xf32>) -> ()
  %q = loop.constant dense<7> : tensor<16x5xi8> to memref<16x5xi8>
  func.call @unpacked(%u, %q, %t) : (memref<4x16xf32>, memref<16x5xi8>, memref<4x5xf32>) -> ()
  return
}
