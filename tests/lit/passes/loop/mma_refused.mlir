// RUN: mlc-opt %s --split-input-file --target=sapphirerapids-amx --apply-schedule 2>&1 >%t | filecheck %s
// RUN: mlc-opt %s --split-input-file --target=sapphirerapids-amx --apply-schedule 2>%t | filecheck %s --check-prefix=SAME
// RUN: mlc-opt %s --split-input-file --target=sapphirerapids --apply-schedule 2>&1 >%t | filecheck %s --check-prefix=OTHER

// Loops stay as they are.
// SAME-NOT: loop.mma

// OTHER: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: sapphirerapids has no product of matrices of ui8 and i8

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: 17 x 4 sums, a register holds 16 x 16; tile the loops first
func.func private @rows(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 0 to 17 {
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 4] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: 4 x 17 sums, a register holds 16 x 16; tile the loops first
func.func private @columns(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 17 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 4] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: the sums do not start with 0
func.func private @start(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 1 : i32
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 4] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: 'm' and 'n' are not parallel
func.func private @serial(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for serial "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 4] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: 'm' or 'n' runs over blocks
func.func private @blocks(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 0 to 8 step 2 {
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 4] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: 'n' is not the one loop in it
func.func private @between(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  %z = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 4 {
      loop.store %z, %y[%m, 31] : memref<32x32xi32>
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 4] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: 'k' does not carry one sum, counted from 0
func.func private @from_one(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 1 to 3 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 4] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: 'k' does not add up dot products of words
func.func private @more(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 4] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        %t2 = arith.addi %t, %t : i32
        loop.yield %t2 : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: sapphirerapids-amx has no product of matrices of i16 and i16
func.func private @types(%x: memref<32x16xi16>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 2] : memref<32x16xi16>, vector<2xi16>
        %v = vector.bitcast %a : vector<2xi16> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of i16, i16 : i32, i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: the first factor is not the same for all of 'n'
func.func private @both(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m + %n, %k * 4] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: the second factor is not the same for all of 'm'
func.func private @second(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 4] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n + %m] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: a factor does not lie in rows of words, one for each iteration
func.func private @columns_of_x(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%k * 4, %m * 4] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: a factor does not lie in rows of words, one for each iteration
func.func private @apart(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 4] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n * 2] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: a factor does not lie in rows of words, one for each iteration
func.func private @gaps(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 8] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, j)': loop 'm' computes no products of matrices: 'j' is not the innermost loop of the sums
func.func private @other_loop(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, j)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 0 : i32
      loop.for serial "j" %j = 0 to 2 {
        loop.store %zero, %y[%m, %n] : memref<32x32xi32>
      }
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 4] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}

// -----

// CHECK: warning: schedule step 'mma(m, n, k)': loop 'm' computes no products of matrices: 'k' computes more than dot products of words that it loads
func.func private @beside(%x: memref<32x16xi8>, %w: memref<8x32xi32>, %y: memref<32x32xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[mma(m, n, k)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 4 {
      %zero = arith.constant 0 : i32
      %s = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %x[%m, %k * 4] : memref<32x16xi8>, vector<4xi8>
        %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
        %u = vector.extract %v[0] : i32 from vector<1xi32>
        %b = loop.load %w[%k, %n] : memref<8x32xi32>
        %t = loop.dot %u, %b, %acc of ui8, i8 : i32, i32
        loop.store %t, %y[%m, %n] : memref<32x32xi32>
        loop.yield %t : i32
      }
      loop.store %s, %y[%m, %n] : memref<32x32xi32>
    }
  }
  return
}
