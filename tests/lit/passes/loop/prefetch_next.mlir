// RUN: mlc-opt %s --apply-schedule --check-each | filecheck %s
// RUN: mlc-opt %s --apply-schedule 2>&1 >%t | filecheck %s --check-prefix=REMARK
// RUN: mlc-opt %s --apply-schedule --lower-to-llvm | filecheck %s --check-prefix=LLVM

// What the loop reads of an argument in the next iteration but the last of an unrolled loop: each line of 64 bytes once,
// in front of what is read now. The maximum is not read at a place of n, and the first loop is not named.
// CHECK-LABEL: @rows
// CHECK: loop.for parallel "m" %m = 0 to 6 step 2 {
// CHECK: loop.for serial "k"
// CHECK-NOT: loop.prefetch
// CHECK: loop.for parallel "n" %[[N:.*]] = 0 to 32 step 8 {
// CHECK-NEXT: loop.prefetch %x[%m + 2, %[[N]]] to 1 : memref<6x32xf32>
// CHECK-NEXT: loop.load %x[%m, %[[N]]]
// CHECK: loop.prefetch %x[%m + 3, %[[N]]] to 1 : memref<6x32xf32>
// CHECK-NEXT: loop.load %x[%m + 1, %[[N]]]
// CHECK-NOT: loop.prefetch
// CHECK: loop.load %x[%m + 1, %[[N]] + 4]
// LLVM-LABEL: @rows
// LLVM: "llvm.intr.prefetch"(%{{.*}}) <{rw = 0 : i32, hint = 3 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()
func.func private @rows(%x: memref<6x32xf32>, %y: memref<6x32xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(n, 8), tile(ni, 4), vectorize(nii, 4), unroll(ni), tile(m, 2), unroll(mi), prefetch_next(n, m)]>} {
  %least = arith.constant 0xff800000 : f32
  loop.for parallel "m" %m = 0 to 6 {
    %g = loop.for serial "k" %k = 0 to 32 iter_args(%acc = %least) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<6x32xf32>
      %c = arith.maximumf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.for parallel "n" %n = 0 to 32 {
      %a = loop.load %x[%m, %n] : memref<6x32xf32>
      %b = arith.subf %a, %g : f32
      loop.store %b, %y[%m, %n] : memref<6x32xf32>
    }
  }
  return
}

// One of two loops of the name reads nothing but what the function has stored: nothing is said of it.
// CHECK-LABEL: @stored
// CHECK: loop.prefetch %x[%m + 1, %{{.*}}] to 1
// CHECK: loop.load %x
// CHECK-NOT: loop.prefetch
// CHECK: return
func.func private @stored(%x: memref<6x32xf32>, %y: memref<6x32xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[prefetch_next(n, m)]>} {
  loop.for parallel "m" %m = 0 to 6 {
    loop.for parallel "n" %n = 0 to 32 {
      %a = loop.load %x[%m, %n] : memref<6x32xf32>
      loop.store %a, %y[%m, %n] : memref<6x32xf32>
    }
    loop.for parallel "n" %n2 = 0 to 32 {
      %a = loop.load %y[%m, %n2] : memref<6x32xf32>
      %b = arith.mulf %a, %a : f32
      loop.store %b, %y[%m, %n2] : memref<6x32xf32>
    }
  }
  return
}

// All rows read a panel of weights again: they share out the lines of the next one. Of 6 turns (rows two by two) and 2
// lines each turn asks for one, of every second step; 3 turns that are left over read the same, and say nothing.
// CHECK-LABEL: @panels
// CHECK: loop.for parallel "n"
// CHECK-NEXT: loop.for parallel "m" %[[M:.*]] = 0 to 12 step 2 {
// CHECK: loop.for serial "k" %[[K:.*]] = 0 to 10
// CHECK: loop.prefetch %w[(%n + 32) floordiv 32, 0, (((%[[M]] floordiv 2) * 10 + %[[K]]) floordiv 2) * 16] : memref<4x10x32xf32>
// CHECK-NEXT: loop.load %w[%n floordiv 32, %[[K]], 0]
// CHECK-NOT: loop.prefetch
// CHECK: return
// The place may be beyond the weights, which `inbounds` would rule out.
// LLVM-LABEL: @panels
// LLVM: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<16 x f32>
// LLVM-NEXT: "llvm.intr.prefetch"(%{{.*}}) <{rw = 0 : i32, hint = 2 : i32, cache = 1 : i32}>
func.func private @panels(%x: memref<13x10xf32>, %w: memref<4x10x32xf32>, %y: memref<13x128xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(ni, 16), vectorize(nii, 16), unroll(ni), tile(m, 2), unroll(mi), prefetch_next(k, n, 2)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 128 step 32 {
    loop.for parallel "m" %m = 0 to 13 {
      loop.for parallel "ni" %ni = 0 to 32 {
        %g = loop.for serial "k" %k = 0 to 10 iter_args(%acc = %zero) -> (f32) {
          %a = loop.load %x[%m, %k] : memref<13x10xf32>
          %b = loop.load %w[%n floordiv 32, %k, %ni] : memref<4x10x32xf32>
          %c = math.fma %a, %b, %acc : f32
          loop.yield %c : f32
        }
        loop.store %g, %y[%m, %n + %ni] : memref<13x128xf32>
      }
    }
  }
  return
}

// Two steps of the reduction in an iteration: what they read lies in one piece, too.
// CHECK-LABEL: @two_steps
// CHECK: loop.for serial "k" %[[K:.*]] = 0 to 10 step 2
// CHECK: loop.prefetch %w[(%n + 16) floordiv 16, 0, ((%m * 5 + %[[K]] floordiv 2) floordiv 2) * 16] : memref<4x10x16xf32>
// CHECK-NOT: loop.prefetch
// CHECK: return
func.func private @two_steps(%x: memref<4x10xf32>, %w: memref<4x10x16xf32>, %y: memref<4x64xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[vectorize(ni, 16), tile(k, 2), unroll(ki), prefetch_next(k, n, 2)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 64 step 16 {
    loop.for parallel "m" %m = 0 to 4 {
      loop.for parallel "ni" %ni = 0 to 16 {
        %g = loop.for serial "k" %k = 0 to 10 iter_args(%acc = %zero) -> (f32) {
          %a = loop.load %x[%m, %k] : memref<4x10xf32>
          %b = loop.load %w[%n floordiv 16, %k, %ni] : memref<4x10x16xf32>
          %c = math.fma %a, %b, %acc : f32
          loop.yield %c : f32
        }
        loop.store %g, %y[%m, %n + %ni] : memref<4x64xf32>
      }
    }
  }
  return
}

// A convolution: the lines of each tap are shared by the rows, not by the taps.
// CHECK-LABEL: @taps
// CHECK: loop.for serial "t" %[[T:.*]] = 0 to 3
// CHECK: loop.prefetch %w[(%n + 16) floordiv 16, %[[T]], 0, ((%m * 10 + %{{.*}}) floordiv 4) * 16] : memref<4x3x10x16xf32>
// CHECK-NOT: loop.prefetch
// CHECK: return
func.func private @taps(%x: memref<6x10xf32>, %w: memref<4x3x10x16xf32>, %y: memref<4x64xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[vectorize(ni, 16), prefetch_next(k, n, 2)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 64 step 16 {
    loop.for parallel "m" %m = 0 to 4 {
      loop.for parallel "ni" %ni = 0 to 16 {
        %g = loop.for serial "t" %t = 0 to 3 iter_args(%sum = %zero) -> (f32) {
          %h = loop.for serial "k" %k = 0 to 10 iter_args(%acc = %sum) -> (f32) {
            %a = loop.load %x[%m + %t, %k] : memref<6x10xf32>
            %b = loop.load %w[%n floordiv 16, %t, %k, %ni] : memref<4x3x10x16xf32>
            %c = math.fma %a, %b, %acc : f32
            loop.yield %c : f32
          }
          loop.yield %h : f32
        }
        loop.store %g, %y[%m, %n + %ni] : memref<4x64xf32>
      }
    }
  }
  return
}

// More lines than turns: each turn asks for two at a time.
// CHECK-LABEL: @few_rows
// CHECK: loop.prefetch %w[(%n + 48) floordiv 48, 0, %m * 320 + %{{.*}} * 32]
// CHECK-NEXT: loop.prefetch %w[(%n + 48) floordiv 48, 0, %m * 320 + %{{.*}} * 32 + 16]
// CHECK-NOT: loop.prefetch
// CHECK: return
func.func private @few_rows(%x: memref<2x10xf32>, %w: memref<2x10x48xf32>, %y: memref<2x96xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(ni, 16), vectorize(nii, 16), unroll(ni), prefetch_next(k, n, 2)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 96 step 48 {
    loop.for parallel "m" %m = 0 to 2 {
      loop.for parallel "ni" %ni = 0 to 48 {
        %g = loop.for serial "k" %k = 0 to 10 iter_args(%acc = %zero) -> (f32) {
          %a = loop.load %x[%m, %k] : memref<2x10xf32>
          %b = loop.load %w[%n floordiv 48, %k, %ni] : memref<2x10x48xf32>
          %c = math.fma %a, %b, %acc : f32
          loop.yield %c : f32
        }
        loop.store %g, %y[%m, %n + %ni] : memref<2x96xf32>
      }
    }
  }
  return
}

// What lies in pieces, rows of a matrix that nobody packed, is asked for by each turn. There is nothing behind the last
// iteration of a loop that runs once.
// CHECK-LABEL: @in_pieces
// CHECK: loop.prefetch %w[%{{.*}}, %n + 16] to 1
// CHECK-NEXT: loop.load %w
// CHECK-NOT: loop.prefetch
// CHECK: return
// REMARK: warning: schedule step 'prefetch_next(k, b)': nothing to prefetch in 'k': it is in no loop 'b'
func.func private @in_pieces(%x: memref<4x10xf32>, %w: memref<10x64xf32>, %y: memref<4x64xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(n, 16), vectorize(ni, 16), prefetch_next(k, n), prefetch_next(k, b)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "b" %b = 0 to 1 {
    loop.for parallel "n" %n = 0 to 64 {
      loop.for parallel "m" %m = 0 to 4 {
        %g = loop.for serial "k" %k = 0 to 10 iter_args(%acc = %zero) -> (f32) {
          %a = loop.load %x[%m, %k] : memref<4x10xf32>
          %b2 = loop.load %w[%k, %n] : memref<10x64xf32>
          %c = math.fma %a, %b2, %acc : f32
          loop.yield %c : f32
        }
        loop.store %g, %y[%m, %n] : memref<4x64xf32>
      }
    }
  }
  return
}

// CHECK-LABEL: @refused
// CHECK-NOT: loop.prefetch
// REMARK: warning: schedule step 'prefetch_next(n, m)': nothing to prefetch in 'n': it reads no argument at places that depend on 'n' and 'm'
// REMARK: warning: schedule step 'prefetch_next(m, n)': nothing to prefetch in 'm': it is in no loop 'n'
func.func private @refused(%x: memref<32xf32>, %y: memref<6x32xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[prefetch_next(n, m), prefetch_next(m, n)]>} {
  loop.for parallel "m" %m = 0 to 6 {
    loop.for parallel "n" %n = 0 to 32 {
      %a = loop.load %x[%n] : memref<32xf32>
      loop.store %a, %y[%m, %n] : memref<6x32xf32>
    }
  }
  return
}
