// RUN: mlc-opt %s --target=sapphirerapids-amx --apply-schedule --check-each | filecheck %s

// A matrix is as many lines as it has rows, if its rows are a line each. Those of two matrices lie in turns: one piece of
// 32 lines for each step of the reduction, which two tiles of rows share out.
// CHECK-LABEL: @in_turns
// CHECK: loop.for parallel "m" %[[M:.*]] = 0 to 8 step 4 {
// CHECK: loop.for serial "k" %[[K:.*]] = 0 to 32 step 16
// CHECK-COUNT-16: loop.prefetch %w[(%n + 32) floordiv 32, 0, (%[[M]] floordiv 4) * 512 + (%[[K]] floordiv 16) * 256{{.*}}] : memref<2x32x32xi32>
// CHECK-NOT: loop.prefetch
// CHECK: return
func.func private @in_turns(%x: memref<8x64xbf16>, %w: memref<2x32x32xi32>, %y: memref<8x64xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(ni, 16), tile(m, 4), interchange(ni, mi), mma(mi, nii, k), unroll(ni), prefetch_next(k, n, 2)]>} {
  loop.for parallel "n" %n = 0 to 64 step 32 {
    loop.for parallel "m" %m = 0 to 8 {
      loop.for parallel "ni" %ni = 0 to 32 {
        %zero = arith.constant 0.0 : f32
        %s = loop.for serial "k" %k = 0 to 32 iter_args(%acc = %zero) -> (f32) {
          %a = loop.load %x[%m, %k * 2] : memref<8x64xbf16>, vector<2xbf16>
          %v = vector.bitcast %a : vector<2xbf16> to vector<1xi32>
          %u = vector.extract %v[0] : i32 from vector<1xi32>
          %b = loop.load %w[%n floordiv 32, %k, %ni] : memref<2x32x32xi32>
          %t = loop.dot %u, %b, %acc of bf16, bf16 : i32, f32
          loop.yield %t : f32
        }
        loop.store %s, %y[%m, %n + %ni] : memref<8x64xf32>
      }
    }
  }
  return
}

// Rows two apart do not lie in one piece: each is asked for where it is.
// CHECK-LABEL: @apart
// CHECK: loop.prefetch %w[(%n + 16) floordiv 16, 0, 0] : memref<2x8x16xi32>
// CHECK-NEXT: loop.prefetch %w[(%n + 16) floordiv 16, 2, 0]
// CHECK-NEXT: loop.prefetch %w[(%n + 16) floordiv 16, 4, 0]
// CHECK-NEXT: loop.prefetch %w[(%n + 16) floordiv 16, 6, 0]
// CHECK-NEXT: loop.load %w[%n floordiv 16, 0, 0] rows 1 row_stride 2
func.func private @apart(%x: memref<4x8xbf16>, %w: memref<2x8x16xi32>, %y: memref<4x32xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, ni, k), prefetch_next(k, n, 2)]>} {
  loop.for parallel "n" %n = 0 to 32 step 16 {
    loop.for parallel "m" %m = 0 to 4 {
      loop.for parallel "ni" %ni = 0 to 16 {
        %zero = arith.constant 0.0 : f32
        %s = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %zero) -> (f32) {
          %a = loop.load %x[%m, %k * 2] : memref<4x8xbf16>, vector<2xbf16>
          %v = vector.bitcast %a : vector<2xbf16> to vector<1xi32>
          %u = vector.extract %v[0] : i32 from vector<1xi32>
          %b = loop.load %w[%n floordiv 16, %k * 2, %ni] : memref<2x8x16xi32>
          %t = loop.dot %u, %b, %acc of bf16, bf16 : i32, f32
          loop.yield %t : f32
        }
        loop.store %s, %y[%m, %n + %ni] : memref<4x32xf32>
      }
    }
  }
  return
}
