// RUN: mlc-opt %s --split-input-file --verify-diagnostics --target=sapphirerapids-amx --convert-loop-to-llvm
// RUN: not mlc-opt %s --split-input-file --target=haswell --convert-loop-to-llvm 2>&1 | filecheck %s --check-prefix=OTHER
// OTHER: error: loop.load: found a matrix, and haswell has no registers for them

func.func private @types(%x: memref<4x4xi32>, %y: memref<4x4xi32> {mlc.output}) {
  %z = arith.constant dense<0> : vector<4x4xi32>
  %a = loop.load %x[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  // expected-error @+1 {{loop.mma: found matrices of i16 and i16, and sapphirerapids-amx has no instruction for their product; required: a schedule without 'mma', or another target}}
  %c = loop.mma %a, %a, %z of i16, i16 : vector<4x4xi32>, vector<4x4xi32>, vector<4x4xi32>
  loop.store %c, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  return
}

// -----

func.func private @numbers(%y: memref<4x4xi32> {mlc.output}) {
  // expected-error @+1 {{arith.constant: found a matrix of other numbers, required zeros, all of them +0}}
  %z = arith.constant dense<1> : vector<4x4xi32>
  loop.store %z, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  return
}

// -----

func.func private @large(%x: memref<20x4xi32>, %y: memref<20x4xi32> {mlc.output}) {
  %a = loop.load %x[0, 0] rows 0 : memref<20x4xi32>, vector<17x4xi32>
  // expected-error @+1 {{loop.store: found vector<17x4xi32>, 17 rows of 16 bytes, required at most 16 rows of 64 bytes}}
  loop.store %a, %y[0, 0] rows 0 : memref<20x4xi32>, vector<17x4xi32>
  return
}

// -----

func.func private @other_op(%x: memref<4x4xi32>, %y: memref<4x4xi32> {mlc.output}) {
  %a = loop.load %x[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  // expected-error @+1 {{arith.addi: found a vector of two dims; registers for matrices have no such instruction}}
  %b = arith.addi %a, %a : vector<4x4xi32>
  loop.store %b, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  return
}

// -----

func.func private @overwritten(%x: memref<4x4xi32>, %y: memref<4x4xi32> {mlc.output}) {
  %z = arith.constant dense<0> : vector<4x4xi32>
  %a = loop.load %x[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  %c = loop.mma %a, %a, %z of i8, i8 : vector<4x4xi32>, vector<4x4xi32>, vector<4x4xi32>
  // expected-error @+1 {{loop.mma: found sums that are used elsewhere as well; they would be overwritten}}
  %d = loop.mma %a, %a, %c of i8, i8 : vector<4x4xi32>, vector<4x4xi32>, vector<4x4xi32>
  loop.store %c, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  loop.store %d, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  return
}

// -----

// Nine matrices of sums at a time are more than there are registers.
func.func private @many(%x: memref<4x4xi32>, %y: memref<4x4xi32> {mlc.output}) {
  %z = arith.constant dense<0> : vector<4x4xi32>
  %a = loop.load %x[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  %0 = loop.mma %a, %a, %z of i8, i8 : vector<4x4xi32>, vector<4x4xi32>, vector<4x4xi32>
  %1 = loop.mma %a, %a, %z of i8, i8 : vector<4x4xi32>, vector<4x4xi32>, vector<4x4xi32>
  %2 = loop.mma %a, %a, %z of i8, i8 : vector<4x4xi32>, vector<4x4xi32>, vector<4x4xi32>
  %3 = loop.mma %a, %a, %z of i8, i8 : vector<4x4xi32>, vector<4x4xi32>, vector<4x4xi32>
  %4 = loop.mma %a, %a, %z of i8, i8 : vector<4x4xi32>, vector<4x4xi32>, vector<4x4xi32>
  %5 = loop.mma %a, %a, %z of i8, i8 : vector<4x4xi32>, vector<4x4xi32>, vector<4x4xi32>
  %6 = loop.mma %a, %a, %z of i8, i8 : vector<4x4xi32>, vector<4x4xi32>, vector<4x4xi32>
  // expected-error @+1 {{loop.mma: found more matrices at a time, or of more sizes, than sapphirerapids-amx has registers for, 8; required: fewer copies of unrolled loops}}
  %7 = loop.mma %a, %a, %z of i8, i8 : vector<4x4xi32>, vector<4x4xi32>, vector<4x4xi32>
  loop.store %0, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  loop.store %1, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  loop.store %2, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  loop.store %3, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  loop.store %4, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  loop.store %5, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  loop.store %6, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  loop.store %7, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  return
}

// -----

func.func private @exchanged(%x: memref<4x4xi32>, %y: memref<4x4xi32> {mlc.output}) {
  %z = arith.constant dense<0> : vector<4x4xi32>
  %a = loop.load %x[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  %p, %q = loop.for serial "k" %k = 0 to 3 iter_args(%u = %z, %v = %z) -> (vector<4x4xi32>, vector<4x4xi32>) {
    %w = loop.mma %a, %a, %u of i8, i8 : vector<4x4xi32>, vector<4x4xi32>, vector<4x4xi32>
    // expected-error @+1 {{loop.yield: found a matrix in another register than the one it was carried in}}
    loop.yield %v, %w : vector<4x4xi32>, vector<4x4xi32>
  }
  loop.store %p, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  loop.store %q, %y[0, 0] rows 0 : memref<4x4xi32>, vector<4x4xi32>
  return
}
