// RUN: mlc-opt %s --apply-schedule --check-each | filecheck %s

// Eight weights along the sum are a word. The sum takes them in the same order.

// CHECK-LABEL: @product(%x: memref<2x32xf32>, %w: memref<4x5xi32>, %y: memref<2x5xf32>
// CHECK:             loop.for serial "g" %g = 0 to 2
// CHECK:               loop.for serial "k" %[[K:.*]] = 0 to 2 iter_args(%[[ACC:.*]] =
// CHECK-NEXT:            %[[WORD:.*]] = loop.load %w[%g * 2 + %[[K]], %n] : memref<4x5xi32>
// CHECK-NEXT:            %[[A:.*]] = loop.unpack %[[WORD]][0] : i32 to f32
// CHECK-NEXT:            %[[X:.*]] = loop.load %x[%m, %g * 16 + %[[K]] * 8] : memref<2x32xf32>
// CHECK-NEXT:            %[[S:.*]] = math.fma %[[X]], %[[A]], %[[ACC]]
// CHECK-NEXT:            loop.unpack %[[WORD]][1]
// CHECK-NEXT:            loop.load %x[%m, %g * 16 + %[[K]] * 8 + 1]
// CHECK-NEXT:            math.fma %{{.*}}, %{{.*}}, %[[S]]
// CHECK-COUNT-6:         loop.unpack
// CHECK-NOT:             loop.unpack
func.func private @product(%x: memref<2x32xf32>, %w: memref<32x5xi8>, %y: memref<2x5xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[unpack(k)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 2 {
    loop.for parallel "n" %n = 0 to 5 {
      %t = loop.for serial "g" %g = 0 to 2 iter_args(%sum = %zero) -> (f32) {
        %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
          %a = loop.load %x[%m, %g * 16 + %k] : memref<2x32xf32>
          %b = loop.load %w[%g * 16 + %k, %n] : memref<32x5xi8>
          %c = arith.extsi %b : i8 to i32
          %d = arith.sitofp %c : i32 to f32
          %e = math.fma %a, %d, %acc : f32
          loop.yield %e : f32
        }
        %f = arith.addf %sum, %s : f32
        loop.yield %f : f32
      }
      loop.store %t, %y[%m, %n] : memref<2x5xf32>
    }
  }
  return
}

func.func @main(%x: memref<2x32xf32>, %y: memref<2x5xf32> {mlc.output}) {
  %w = loop.constant dense<-8> : tensor<32x5xi8> to memref<32x5xi8>
  func.call @product(%x, %w, %y) : (memref<2x32xf32>, memref<32x5xi8>, memref<2x5xf32>) -> ()
  return
}
