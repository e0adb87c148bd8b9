// RUN: mlc-opt %s --limit-dims="target=znver4" --split-input-file | filecheck %s
// RUN: mlc-opt %s --limit-dims="target=znver4" --convert-tensor-to-loop --split-input-file | filecheck %s --check-prefix=LOOPS

// Padding in place of data that is not before the integer, or after it, and an integer that is one more.
// CHECK-LABEL: func.func private @not_before
// CHECK-SAME: limits = #loop.limits<k: argument 2 by 16, n: argument 2 by 16>
// CHECK-LABEL: func.func private @after
// CHECK-SAME: limits = #loop.limits<k: argument 2 plus 1 by 16, n: argument 2 plus 1 by 16>
// CHECK-LABEL: func.func private @swapped
// CHECK-SAME: limits = #loop.limits<k: argument 2 plus 1 by 16, n: argument 2 plus 1 by 16>
// CHECK-LABEL: func.func private @one_more
// CHECK-SAME: limits = #loop.limits<k: argument 2 plus 3 by 16, n: argument 2 plus 3 by 16>
// CHECK-LABEL: func.func private @unsigned
// CHECK-NOT: limits
// CHECK-LABEL: func.func @main
// LOOPS: limit
func.func private @not_before(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %zero = arith.constant 0.0 : f32
    %is_padding = arith.cmpi sge, %c, %m : i64
    %r = arith.select %is_padding, %zero, %a : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @after(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %zero = arith.constant 0.0 : f32
    %is_padding = arith.cmpi sgt, %c, %m : i64
    %r = arith.select %is_padding, %zero, %a : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @swapped(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %zero = arith.constant 0.0 : f32
    %is_padding = arith.cmpi slt, %m, %c : i64
    %r = arith.select %is_padding, %zero, %a : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @one_more(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %plus = arith.constant 2 : i64
    %more = arith.addi %m, %plus : i64
    %zero = arith.constant 0.0 : f32
    %is_padding = arith.cmpi sgt, %c, %more : i64
    %r = arith.select %is_padding, %zero, %a : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @unsigned(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %zero = arith.constant 0.0 : f32
    %is_padding = arith.cmpi uge, %c, %m : i64
    %r = arith.select %is_padding, %zero, %a : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func @main(%x: tensor<32xf32>, %n: tensor<i64>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %i = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : tensor<32xi64>
  %0 = func.call @not_before(%x, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  %1 = func.call @after(%x, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  %2 = func.call @swapped(%x, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  %3 = func.call @one_more(%x, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  %4 = func.call @unsigned(%x, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// Exponentials of what is less than the maximum of the row are 0 where a row has padding. Not so: the maximum of columns,
// of other rows, of squares; the minimum; 0 and not -inf; NaN that becomes a number; 1 that is added to. Places that do
// not count up, and a constant integer, say nothing.
// CHECK-LABEL: func.func private @rows
// CHECK-SAME: limits = #loop.limits<c: argument 3 by 16, k: argument 3 by 16, n: argument 3 by 16>
// CHECK-LABEL: func.func private @columns
// CHECK-NOT: k: argument
// CHECK-LABEL: func.func private @others
// CHECK-NOT: k: argument
// CHECK-LABEL: func.func private @squares
// CHECK-NOT: k: argument
// CHECK-LABEL: func.func private @least
// CHECK-NOT: k: argument
// CHECK-LABEL: func.func private @zeros
// CHECK-NOT: k: argument
// CHECK-LABEL: func.func private @numbers
// CHECK-NOT: k: argument
// CHECK-LABEL: func.func private @plus
// CHECK-NOT: k: argument
// CHECK-LABEL: func.func private @of_others
// CHECK-NOT: limits
// CHECK-LABEL: func.func private @of_constant
// CHECK-NOT: limits
// CHECK-LABEL: func.func private @compare
// LOOPS: func.func @main
func.func private @rows(%x: tensor<32x32xf32>, %in: tensor<32xi1>, %y: tensor<32x32xf32>) -> tensor<32xf32> {
  %masked = tensor.map %x[m, n], %in[n] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xi1> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %is_data: i1):
    %padding = arith.constant 0xFF800000 : f32
    %r = arith.select %is_data, %a, %padding : f32
    tensor.yield %r : f32
  }
  %max = tensor.reduce max %masked[m, c] over (m: 32) reduce (c: 32) : tensor<32x32xf32> -> tensor<32xf32>
  %e = tensor.map %masked[m, n], %max[m] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xf32> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    tensor.yield %r : f32
  }
  %s = tensor.reduce add %e[m, k] over (m: 32) reduce (k: 32) : tensor<32x32xf32> -> tensor<32xf32>
  return %s : tensor<32xf32>
}
func.func private @columns(%x: tensor<32x32xf32>, %in: tensor<32xi1>, %y: tensor<32x32xf32>) -> tensor<32xf32> {
  %masked = tensor.map %x[m, n], %in[n] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xi1> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %is_data: i1):
    %padding = arith.constant 0xFF800000 : f32
    %r = arith.select %is_data, %a, %padding : f32
    tensor.yield %r : f32
  }
  %max = tensor.reduce max %masked[c, n] over (n: 32) reduce (c: 32) : tensor<32x32xf32> -> tensor<32xf32>
  %e = tensor.map %masked[m, n], %max[n] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xf32> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    tensor.yield %r : f32
  }
  %s = tensor.reduce add %e[m, k] over (m: 32) reduce (k: 32) : tensor<32x32xf32> -> tensor<32xf32>
  return %s : tensor<32xf32>
}
func.func private @others(%x: tensor<32x32xf32>, %in: tensor<32xi1>, %y: tensor<32x32xf32>) -> tensor<32xf32> {
  %masked = tensor.map %x[m, n], %in[n] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xi1> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %is_data: i1):
    %padding = arith.constant 0xFF800000 : f32
    %r = arith.select %is_data, %a, %padding : f32
    tensor.yield %r : f32
  }
  %max = tensor.reduce max %y[m, c] over (m: 32) reduce (c: 32) : tensor<32x32xf32> -> tensor<32xf32>
  %e = tensor.map %masked[m, n], %max[m] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xf32> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    tensor.yield %r : f32
  }
  %s = tensor.reduce add %e[m, k] over (m: 32) reduce (k: 32) : tensor<32x32xf32> -> tensor<32xf32>
  return %s : tensor<32xf32>
}
func.func private @squares(%x: tensor<32x32xf32>, %in: tensor<32xi1>, %y: tensor<32x32xf32>) -> tensor<32xf32> {
  %masked = tensor.map %x[m, n], %in[n] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xi1> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %is_data: i1):
    %padding = arith.constant 0xFF800000 : f32
    %r = arith.select %is_data, %a, %padding : f32
    tensor.yield %r : f32
  }
  %max = tensor.reduce max %masked[m, c] over (m: 32) reduce (c: 32) : tensor<32x32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %square = arith.mulf %a, %a : f32
    tensor.yield %square : f32
  }
  %e = tensor.map %masked[m, n], %max[m] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xf32> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    tensor.yield %r : f32
  }
  %s = tensor.reduce add %e[m, k] over (m: 32) reduce (k: 32) : tensor<32x32xf32> -> tensor<32xf32>
  return %s : tensor<32xf32>
}
func.func private @least(%x: tensor<32x32xf32>, %in: tensor<32xi1>, %y: tensor<32x32xf32>) -> tensor<32xf32> {
  %masked = tensor.map %x[m, n], %in[n] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xi1> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %is_data: i1):
    %padding = arith.constant 0xFF800000 : f32
    %r = arith.select %is_data, %a, %padding : f32
    tensor.yield %r : f32
  }
  %max = tensor.reduce min %masked[m, c] over (m: 32) reduce (c: 32) : tensor<32x32xf32> -> tensor<32xf32>
  %e = tensor.map %masked[m, n], %max[m] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xf32> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    tensor.yield %r : f32
  }
  %s = tensor.reduce add %e[m, k] over (m: 32) reduce (k: 32) : tensor<32x32xf32> -> tensor<32xf32>
  return %s : tensor<32xf32>
}
func.func private @zeros(%x: tensor<32x32xf32>, %in: tensor<32xi1>, %y: tensor<32x32xf32>) -> tensor<32xf32> {
  %masked = tensor.map %x[m, n], %in[n] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xi1> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %is_data: i1):
    %padding = arith.constant 0.0 : f32
    %r = arith.select %is_data, %a, %padding : f32
    tensor.yield %r : f32
  }
  %max = tensor.reduce max %masked[m, c] over (m: 32) reduce (c: 32) : tensor<32x32xf32> -> tensor<32xf32>
  %e = tensor.map %masked[m, n], %max[m] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xf32> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    tensor.yield %r : f32
  }
  %s = tensor.reduce add %e[m, k] over (m: 32) reduce (k: 32) : tensor<32x32xf32> -> tensor<32xf32>
  return %s : tensor<32xf32>
}
func.func private @numbers(%x: tensor<32x32xf32>, %in: tensor<32xi1>, %y: tensor<32x32xf32>) -> tensor<32xf32> {
  %masked = tensor.map %x[m, n], %in[n] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xi1> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %is_data: i1):
    %padding = arith.constant 0xFF800000 : f32
    %r = arith.select %is_data, %a, %padding : f32
    tensor.yield %r : f32
  }
  %max = tensor.reduce max %masked[m, c] over (m: 32) reduce (c: 32) : tensor<32x32xf32> -> tensor<32xf32>
  %e = tensor.map %masked[m, n], %max[m] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xf32> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    tensor.yield %r : f32
  }
  %n = tensor.map %e[m, n] over (m: 32, n: 32) : tensor<32x32xf32> -> tensor<32x32xf32> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maxnumf %a, %zero : f32
    tensor.yield %r : f32
  }
  %s = tensor.reduce add %n[m, k] over (m: 32) reduce (k: 32) : tensor<32x32xf32> -> tensor<32xf32>
  return %s : tensor<32xf32>
}
func.func private @plus(%x: tensor<32x32xf32>, %in: tensor<32xi1>, %y: tensor<32x32xf32>) -> tensor<32xf32> {
  %masked = tensor.map %x[m, n], %in[n] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32xi1> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %is_data: i1):
    %padding = arith.constant 1.0 : f32
    %r = arith.select %is_data, %a, %padding : f32
    tensor.yield %r : f32
  }
  %e = tensor.map %masked[m, n], %y[m, n] over (m: 32, n: 32) : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tensor.yield %r : f32
  }
  %s = tensor.reduce mul %e[m, k] over (m: 32) reduce (k: 32) : tensor<32x32xf32> -> tensor<32xf32>
  return %s : tensor<32xf32>
}
func.func private @of_others(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %zero = arith.constant 0.0 : f32
    %is_padding = arith.cmpi sge, %c, %m : i64
    %r = arith.select %is_padding, %zero, %a : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @of_constant(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %zero = arith.constant 0.0 : f32
    %is_padding = arith.cmpi sge, %c, %m : i64
    %r = arith.select %is_padding, %zero, %a : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @compare(%i: tensor<32xi64>, %n: tensor<i64>) -> tensor<32xi1> {
  %in = tensor.map %i[n], %n[] over (n: 32) : tensor<32xi64>, tensor<i64> -> tensor<32xi1> {
  ^bb0(%c: i64, %m: i64):
    %r = arith.cmpi slt, %c, %m : i64
    tensor.yield %r : i1
  }
  return %in : tensor<32xi1>
}
func.func @main(%x: tensor<32x32xf32>, %y: tensor<32x32xf32>, %z: tensor<32xf32>, %n: tensor<i64>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<f32>, tensor<f32>) {
  %i = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : tensor<32xi64>
  %odd = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 99, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : tensor<32xi64>
  %twenty = arith.constant dense<20> : tensor<i64>
  %in = func.call @compare(%i, %n) : (tensor<32xi64>, tensor<i64>) -> tensor<32xi1>
  %r0 = func.call @rows(%x, %in, %y) : (tensor<32x32xf32>, tensor<32xi1>, tensor<32x32xf32>) -> tensor<32xf32>
  %r1 = func.call @columns(%x, %in, %y) : (tensor<32x32xf32>, tensor<32xi1>, tensor<32x32xf32>) -> tensor<32xf32>
  %r2 = func.call @others(%x, %in, %y) : (tensor<32x32xf32>, tensor<32xi1>, tensor<32x32xf32>) -> tensor<32xf32>
  %r3 = func.call @squares(%x, %in, %y) : (tensor<32x32xf32>, tensor<32xi1>, tensor<32x32xf32>) -> tensor<32xf32>
  %r4 = func.call @least(%x, %in, %y) : (tensor<32x32xf32>, tensor<32xi1>, tensor<32x32xf32>) -> tensor<32xf32>
  %r5 = func.call @zeros(%x, %in, %y) : (tensor<32x32xf32>, tensor<32xi1>, tensor<32x32xf32>) -> tensor<32xf32>
  %r6 = func.call @numbers(%x, %in, %y) : (tensor<32x32xf32>, tensor<32xi1>, tensor<32x32xf32>) -> tensor<32xf32>
  %r7 = func.call @plus(%x, %in, %y) : (tensor<32x32xf32>, tensor<32xi1>, tensor<32x32xf32>) -> tensor<32xf32>
  %o = func.call @of_others(%z, %odd, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  %t = func.call @of_constant(%z, %i, %twenty) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %o, %t : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<f32>, tensor<f32>
}

// -----

// What is needed of operands: rows of four, windows that reach further; all of what is looked up in; all of
// what else a kernel reads, and of what a dim of another op of the kernel runs over.
// CHECK-LABEL: func.func private @rows
// CHECK-SAME: limits = #loop.limits<n: argument 1 by 16 times 4>
// CHECK-LABEL: func.func private @windows
// CHECK-SAME: limits = #loop.limits<n: argument 1 plus 1 by 16 times 3>
// CHECK-LABEL: func.func private @looked_up
// CHECK-SAME: tensor<32xf32> {
// CHECK-LABEL: func.func private @places
// CHECK-SAME: limits = #loop.limits<n: argument 1 by 16>
// CHECK-LABEL: func.func private @shared
// CHECK-SAME: limits = #loop.limits<m: argument 4 by 16>
// LOOPS: limit
func.func private @rows(%x: tensor<128xf32>) -> tensor<128xf32> {
  %r = tensor.map %x[n] over (n: 128) : tensor<128xf32> -> tensor<128xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<128xf32>
}
func.func private @windows(%x: tensor<128xf32>) -> tensor<128xf32> {
  %r = tensor.map %x[n] over (n: 128) : tensor<128xf32> -> tensor<128xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<128xf32>
}
func.func private @looked_up(%x: tensor<32xf32>) -> tensor<32xf32> {
  %r = tensor.map %x[n] over (n: 32) : tensor<32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<32xf32>
}
func.func private @places(%i: tensor<32xi64>) -> tensor<32xi64> {
  %r = tensor.map %i[n] over (n: 32) : tensor<32xi64> -> tensor<32xi64> {
  ^bb0(%a: i64):
    %three = arith.constant 3 : i64
    %r = arith.andi %a, %three : i64
    tensor.yield %r : i64
  }
  return %r : tensor<32xi64>
}
func.func private @shared(%rows: tensor<128xf32>, %windows: tensor<128xf32>, %table: tensor<32xf32>, %places: tensor<32xi64>) -> (tensor<32xf32>, tensor<32xf32>) {
  %0 = tensor.map %rows[m * 4 + 3], %windows[m * 3 + 5] over (m: 32) : tensor<128xf32>, tensor<128xf32> -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tensor.yield %r : f32
  }
  %1 = tensor.take %table[i] at (i = %places[m]) over (m: 32) : tensor<32xf32>, tensor<32xi64> -> tensor<32xf32>
  return %0, %1 : tensor<32xf32>, tensor<32xf32>
}
func.func @main(%x: tensor<128xf32>, %y: tensor<128xf32>, %t: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> (tensor<32xf32> {mlc.extents = array<i64: 2>}, tensor<32xf32> {mlc.extents = array<i64: 2>}, tensor<i64>) {
  %0 = func.call @rows(%x) : (tensor<128xf32>) -> tensor<128xf32>
  %1 = func.call @windows(%y) : (tensor<128xf32>) -> tensor<128xf32>
  %2 = func.call @looked_up(%t) : (tensor<32xf32>) -> tensor<32xf32>
  %3 = func.call @places(%i) : (tensor<32xi64>) -> tensor<32xi64>
  %4:2 = func.call @shared(%0, %1, %2, %3) : (tensor<128xf32>, tensor<128xf32>, tensor<32xf32>, tensor<32xi64>) -> (tensor<32xf32>, tensor<32xf32>)
  return %4#0, %4#1, %n : tensor<32xf32>, tensor<32xf32>, tensor<i64>
}

// -----

// Dims that one op of a kernel needs all of; two calls, of which one needs all; a result that two kernels read.
// CHECK-NOT: limits
// CHECK-LABEL: func.func @main
// LOOPS: func.func @main
func.func private @both(%x: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %0 = tensor.map %x[m] over (m: 32) : tensor<32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  %1 = tensor.map %x[m] over (m: 32) : tensor<32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %r = arith.mulf %a, %a : f32
    tensor.yield %r : f32
  }
  return %0, %1 : tensor<32xf32>, tensor<32xf32>
}
func.func private @called_twice(%x: tensor<32xf32>) -> tensor<32xf32> {
  %r = tensor.map %x[n] over (n: 32) : tensor<32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<32xf32>
}
func.func private @read_twice(%x: tensor<32xf32>) -> tensor<32xf32> {
  %r = tensor.map %x[n] over (n: 32) : tensor<32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<32xf32>
}
func.func @main(%x: tensor<32xf32>, %n: tensor<i64>, %other: tensor<i64>) -> (tensor<32xf32> {mlc.extents = array<i64: 5>}, tensor<32xf32>, tensor<32xf32> {mlc.extents = array<i64: 5>}, tensor<32xf32>, tensor<32xf32> {mlc.extents = array<i64: 6>}, tensor<i64>, tensor<i64>) {
  %0:2 = func.call @both(%x) : (tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>)
  %1 = func.call @called_twice(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %2 = func.call @called_twice(%1) : (tensor<32xf32>) -> tensor<32xf32>
  %3 = func.call @read_twice(%x) : (tensor<32xf32>) -> tensor<32xf32>
  return %0#0, %0#1, %3, %2, %3, %n, %other : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<i64>, tensor<i64>
}

// -----

// Two calls: each passes where its data ends, which is not what both pass already. A sum of which one call ends one place
// later runs on in both; so does one that is called in a loop as well. What is looked up is needed, whatever else reads it.
// CHECK-LABEL: func.func private @own
// CHECK-SAME: %k: tensor<i64>, %[[END:.*]]: tensor<i64>) -> tensor<f32> attributes {limits = #loop.limits<k: argument 3 by 16, n: argument 3 by 16>}
// CHECK-LABEL: func.func private @later
// CHECK-SAME: tensor<f32> {
// CHECK-LABEL: func.func private @in_loop
// CHECK-SAME: tensor<f32> {
// CHECK-LABEL: func.func private @made
// CHECK-SAME: tensor<32xf32> {
// CHECK-LABEL: func.func private @looked_up
// CHECK-SAME: limits = #loop.limits<m: argument 2 by 16>
// CHECK: func.call @own(%x, %{{.*}}, %a, %a)
// CHECK: func.call @own(%x, %{{.*}}, %a, %b)
// LOOPS: limit
func.func private @own(%x: tensor<32xf32>, %in: tensor<32xi1>, %k: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %in[n], %k[] over (n: 32) : tensor<32xf32>, tensor<32xi1>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %is_data: i1, %q: i64):
    %zero = arith.constant 0.0 : f32
    %f = arith.sitofp %q : i64 to f32
    %b = arith.addf %a, %f : f32
    %r = arith.select %is_data, %b, %zero : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @later(%x: tensor<32xf32>, %in: tensor<32xi1>) -> tensor<f32> {
  %masked = tensor.map %x[n], %in[n] over (n: 32) : tensor<32xf32>, tensor<32xi1> -> tensor<32xf32> {
  ^bb0(%a: f32, %is_data: i1):
    %zero = arith.constant 0.0 : f32
    %b = arith.addf %a, %a : f32
    %r = arith.select %is_data, %b, %zero : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @in_loop(%x: tensor<32xf32>, %in: tensor<32xi1>) -> tensor<f32> {
  %masked = tensor.map %x[n], %in[n] over (n: 32) : tensor<32xf32>, tensor<32xi1> -> tensor<32xf32> {
  ^bb0(%a: f32, %is_data: i1):
    %zero = arith.constant 0.0 : f32
    %b = arith.addf %a, %a : f32
    %r = arith.select %is_data, %b, %zero : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @made(%x: tensor<32xf32>) -> tensor<32xf32> {
  %r = tensor.map %x[n] over (n: 32) : tensor<32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<32xf32>
}
func.func private @looked_up(%table: tensor<32xf32>, %places: tensor<32xi64>) -> (tensor<32xf32>, tensor<32xf32>) {
  %0 = tensor.take %table[i] at (i = %places[m]) over (m: 32) : tensor<32xf32>, tensor<32xi64> -> tensor<32xf32>
  %1 = tensor.map %table[m] over (m: 32) : tensor<32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %0, %1 : tensor<32xf32>, tensor<32xf32>
}
func.func private @before(%i: tensor<32xi64>, %n: tensor<i64>) -> tensor<32xi1> {
  %in = tensor.map %i[n], %n[] over (n: 32) : tensor<32xi64>, tensor<i64> -> tensor<32xi1> {
  ^bb0(%c: i64, %m: i64):
    %r = arith.cmpi slt, %c, %m : i64
    tensor.yield %r : i1
  }
  return %in : tensor<32xi1>
}
func.func private @up_to(%i: tensor<32xi64>, %n: tensor<i64>) -> tensor<32xi1> {
  %in = tensor.map %i[n], %n[] over (n: 32) : tensor<32xi64>, tensor<i64> -> tensor<32xi1> {
  ^bb0(%c: i64, %m: i64):
    %r = arith.cmpi sle, %c, %m : i64
    tensor.yield %r : i1
  }
  return %in : tensor<32xi1>
}
func.func @main(%x: tensor<32xf32>, %a: tensor<i64>, %b: tensor<i64>, %places: tensor<32xi64>, %some: tensor<i1>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<32xf32> {mlc.extents = array<i64: 8>}, tensor<32xf32> {mlc.extents = array<i64: 8>}, tensor<i64>) {
  %i = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : tensor<32xi64>
  %before_a = func.call @before(%i, %a) : (tensor<32xi64>, tensor<i64>) -> tensor<32xi1>
  %before_b = func.call @before(%i, %b) : (tensor<32xi64>, tensor<i64>) -> tensor<32xi1>
  %up_to_a = func.call @up_to(%i, %a) : (tensor<32xi64>, tensor<i64>) -> tensor<32xi1>
  %0 = func.call @own(%x, %before_a, %a) : (tensor<32xf32>, tensor<32xi1>, tensor<i64>) -> tensor<f32>
  %1 = func.call @own(%x, %before_b, %a) : (tensor<32xf32>, tensor<32xi1>, tensor<i64>) -> tensor<f32>
  %2 = func.call @later(%x, %before_a) : (tensor<32xf32>, tensor<32xi1>) -> tensor<f32>
  %3 = func.call @later(%x, %up_to_a) : (tensor<32xf32>, tensor<32xi1>) -> tensor<f32>
  %4 = func.call @in_loop(%x, %before_a) : (tensor<32xf32>, tensor<32xi1>) -> tensor<f32>
  %5 = tensor.if %some using (%x, %up_to_a, %4) : (tensor<32xf32>, tensor<32xi1>, tensor<f32>) -> (tensor<f32>) {
  ^bb0(%x1: tensor<32xf32>, %in1: tensor<32xi1>, %z1: tensor<f32>):
    %then = func.call @in_loop(%x1, %in1) : (tensor<32xf32>, tensor<32xi1>) -> tensor<f32>
    tensor.yield %then : tensor<f32>
  } else {
  ^bb0(%x1: tensor<32xf32>, %in1: tensor<32xi1>, %z1: tensor<f32>):
    tensor.yield %z1 : tensor<f32>
  }
  %6 = func.call @made(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %7:2 = func.call @looked_up(%6, %places) : (tensor<32xf32>, tensor<32xi64>) -> (tensor<32xf32>, tensor<32xf32>)
  return %0, %1, %2, %3, %4, %5, %7#0, %7#1, %a : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<32xf32>, tensor<32xf32>, tensor<i64>
}

// -----

// A mask of each row chooses between an element and what that is from the integer on anyway.
// CHECK-LABEL: func.func private @masked_twice
// CHECK-SAME: limits = #loop.limits<k: argument 2 by 16, n: argument 2 by 16>
// Zeros of two signs are not the same number.
// CHECK-LABEL: func.func private @other_number
// CHECK-NOT: limits
// CHECK-LABEL: func.func @main
func.func private @masked_twice(%x: tensor<4x32xf32>, %i: tensor<32xi64>, %n: tensor<i64>, %mask: tensor<4x32xi1>) -> tensor<4xf32> {
  %one = tensor.map %x[m, n], %i[n], %n[] over (m: 4, n: 32) : tensor<4x32xf32>, tensor<32xi64>, tensor<i64> -> tensor<4x32xf32> {
  ^bb0(%a: f32, %c: i64, %e: i64):
    %zero = arith.constant 0.0 : f32
    %is_data = arith.cmpi slt, %c, %e : i64
    %r = arith.select %is_data, %a, %zero : f32
    tensor.yield %r : f32
  }
  %both = tensor.map %mask[m, n], %one[m, n] over (m: 4, n: 32) : tensor<4x32xi1>, tensor<4x32xf32> -> tensor<4x32xf32> {
  ^bb0(%c: i1, %a: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.select %c, %a, %zero : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %both[m, k] over (m: 4) reduce (k: 32) : tensor<4x32xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @other_number(%x: tensor<4x32xf32>, %i: tensor<32xi64>, %n: tensor<i64>, %mask: tensor<4x32xi1>) -> tensor<4xf32> {
  %one = tensor.map %x[m, n], %i[n], %n[] over (m: 4, n: 32) : tensor<4x32xf32>, tensor<32xi64>, tensor<i64> -> tensor<4x32xf32> {
  ^bb0(%a: f32, %c: i64, %e: i64):
    %zero = arith.constant 0.0 : f32
    %is_data = arith.cmpi slt, %c, %e : i64
    %r = arith.select %is_data, %a, %zero : f32
    tensor.yield %r : f32
  }
  %both = tensor.map %mask[m, n], %one[m, n] over (m: 4, n: 32) : tensor<4x32xi1>, tensor<4x32xf32> -> tensor<4x32xf32> {
  ^bb0(%c: i1, %a: f32):
    %zero = arith.constant -0.0 : f32
    %r = arith.select %c, %a, %zero : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %both[m, k] over (m: 4) reduce (k: 32) : tensor<4x32xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @main(%x: tensor<4x32xf32>, %n: tensor<i64>, %mask: tensor<4x32xi1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %i = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : tensor<32xi64>
  %a = func.call @masked_twice(%x, %i, %n, %mask) : (tensor<4x32xf32>, tensor<32xi64>, tensor<i64>, tensor<4x32xi1>) -> tensor<4xf32>
  %b = func.call @other_number(%x, %i, %n, %mask) : (tensor<4x32xf32>, tensor<32xi64>, tensor<i64>, tensor<4x32xi1>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
