// RUN: mlc-opt %s --target=sapphirerapids-amx --apply-schedule --check-each 2> %t | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t

// One of two matrices of sums is stored whenever a block of the reduction has been added to it, the other one behind it.
// CHECK-LABEL: @blocks
// CHECK:      %[[FIRST:.*]] = memref.alloc() : memref<4x8xf32>
// CHECK:      %[[SECOND:.*]] = memref.alloc() : memref<4x8xf32>
// CHECK:      %[[C:.*]], %[[D:.*]] = loop.for serial "k" %{{.*}} = 0 to 32 step 16 iter_args
// CHECK:        %[[P:.*]] = loop.mma
// CHECK-NEXT:   %[[Q:.*]] = loop.mma
// CHECK-NEXT:   loop.store %[[P]], %[[FIRST]][0, 0] rows 0
// CHECK-NEXT:   loop.yield %[[P]], %[[Q]]
// CHECK-NEXT: }
// CHECK-NEXT: loop.store %[[D]], %[[SECOND]][0, 0] rows 0
// CHECK-NEXT: loop.for parallel
func.func private @blocks(%x: memref<8x64xbf16>, %w: memref<32x8xi32>, %y: memref<8x8xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(m, 4), tile(k, 16), mma(mi, n, ki), unroll(m), store_early(k)]>} {
  loop.for parallel "m" %m = 0 to 8 {
    loop.for parallel "n" %n = 0 to 8 {
      %zero = arith.constant 0.0 : f32
      %s = loop.for serial "k" %k = 0 to 32 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %x[%m, %k * 2] : memref<8x64xbf16>, vector<2xbf16>
        %v = vector.bitcast %a : vector<2xbf16> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<32x8xi32>
        %t = loop.dot %u, %b, %acc of bf16, bf16 : i32, f32
        loop.yield %t : f32
      }
      loop.store %s, %y[%m, %n] : memref<8x8xf32>
    }
  }
  return
}

// A loop inside another one of the reduction.
// CHECK-LABEL: @window
// CHECK:      loop.for serial "ky"
// CHECK-NEXT:   loop.for serial "kx"
// CHECK:          loop.mma
// CHECK:          loop.store %{{.*}}, %sums[0, 0] rows 0
// CHECK-NEXT:     loop.yield
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.yield
// CHECK-NEXT: }
// CHECK-NEXT: loop.for parallel
func.func private @window(%x: memref<6x7x8xi8>, %w: memref<3x3x2x8xi32>, %y: memref<4x8xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k), store_early(kx)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 8 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "ky" %ky = 0 to 3 iter_args(%rows = %zero) -> (i32) {
        %o = loop.for serial "kx" %kx = 0 to 3 iter_args(%outer = %rows) -> (i32) {
          %i = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %outer) -> (i32) {
            %a = loop.load %x[%ky, %m + %kx, %k * 4] : memref<6x7x8xi8>, vector<4xi8>
            %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
            %u = vector.extract %v[0] : i32 from vector<1xi32>
            %b = loop.load %w[%ky, %kx, %k, %n] : memref<3x3x2x8xi32>
            %t = loop.dot %u, %b, %acc of i8, i8 : i32, i32
            loop.yield %t : i32
          }
          loop.yield %i : i32
        }
        loop.yield %o : i32
      }
      loop.store %s, %y[%m, %n] : memref<4x8xi32>
    }
  }
  return
}

// A sum of numbers that waits in a buffer is one, too.
// CHECK-LABEL: @numbers
// CHECK:      loop.for serial "k"
// CHECK:        %[[S:.*]] = arith.addf
// CHECK-NEXT:   loop.store %[[S]], %t[]
// CHECK-NEXT:   loop.yield %[[S]]
// CHECK-NEXT: }
// CHECK-NEXT: loop.load %t[]
func.func private @numbers(%x: memref<5xf32>, %y: memref<f32> {mlc.output})
    attributes {schedule = #loop.schedule<[store_early(k)]>} {
  %t = memref.alloc() : memref<f32>
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 5 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<5xf32>
    %b = arith.addf %a, %acc : f32
    loop.yield %b : f32
  }
  loop.store %s, %t[] : memref<f32>
  %r = loop.load %t[] : memref<f32>
  loop.store %r, %y[] : memref<f32>
  return
}

// What is used otherwise as well, or has been read before it is stored, and what is not stored to a buffer.
// CHECK-LABEL: @kept
// CHECK-COUNT-2: loop.store
// CHECK-NEXT: arith.addf
// CHECK:      loop.yield
// CHECK-NEXT: }
// CHECK-NEXT: loop.store %{{.*}}, %u[]
// CHECK:      loop.yield
// CHECK-NEXT: }
// CHECK-NEXT: loop.store %{{.*}}, %y[]
// CHECK:      loop.yield
// CHECK-NEXT: }
// CHECK-NEXT: loop.load %u[]
// REMARK-COUNT-4: no sum of '{{.}}' is stored before its end: it carries nothing that is only stored after it, to a buffer of the function
// REMARK: no sum of 'j' is stored before its end: it runs once
func.func private @kept(%x: memref<5xf32>, %y: memref<f32> {mlc.output}, %z: memref<f32> {mlc.output})
    attributes {schedule = #loop.schedule<[store_early(k), store_early(l), store_early(m), store_early(n), store_early(j)]>} {
  %t = memref.alloc() : memref<f32>
  %u = memref.alloc() : memref<f32>
  %v = memref.alloc() : memref<f32>
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %u[] : memref<f32>
  %s = loop.for serial "k" %k = 0 to 5 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<5xf32>
    %b = arith.addf %a, %acc : f32
    loop.yield %b : f32
  }
  loop.store %s, %t[] : memref<f32>
  %twice = arith.addf %s, %s : f32
  %p = loop.for serial "l" %l = 0 to 5 iter_args(%acc = %twice) -> (f32) {
    %a = loop.load %x[%l] : memref<5xf32>
    %c = loop.load %u[] : memref<f32>
    %d = arith.addf %a, %c : f32
    %b = arith.addf %d, %acc : f32
    loop.yield %b : f32
  }
  loop.store %p, %u[] : memref<f32>
  %q = loop.for serial "m" %m = 0 to 5 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%m] : memref<5xf32>
    %b = arith.addf %a, %acc : f32
    loop.yield %b : f32
  }
  loop.store %q, %y[] : memref<f32>
  %r = loop.for serial "n" %n = 0 to 5 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%n] : memref<5xf32>
    %b = arith.addf %a, %acc : f32
    loop.yield %b : f32
  }
  %e = loop.load %u[] : memref<f32>
  %f = loop.load %t[] : memref<f32>
  loop.store %r, %u[] : memref<f32>
  %g = loop.for serial "j" %j = 0 to 1 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %u[] : memref<f32>
    %b = arith.addf %a, %acc : f32
    loop.yield %b : f32
  }
  loop.store %g, %v[] : memref<f32>
  %h = loop.load %v[] : memref<f32>
  %o = arith.addf %h, %e : f32
  %w = arith.addf %o, %f : f32
  loop.store %w, %z[] : memref<f32>
  return
}
