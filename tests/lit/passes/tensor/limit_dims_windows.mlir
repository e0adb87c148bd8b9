// RUN: mlc-opt %s --limit-dims="target=znver4" | filecheck %s

// Windows of three rows read one row more than there are results, or two of each row of half the size, and so on to
// what computes these rows; borders move them. What is concatenated is needed as far as the whole is.
// CHECK-LABEL: func.func private @where(
// CHECK-SAME: limits = #loop.limits<x: argument 2 plus 1 times 2>
// CHECK-LABEL: func.func private @conv2d_relu(
// CHECK-SAME: limits = #loop.limits<y: argument 2>
// CHECK-LABEL: func.func private @where_1(
// CHECK-SAME: limits = #loop.limits<m: argument 2 plus 1>
// CHECK-LABEL: func.func private @conv2d(
// CHECK-SAME: limits = #loop.limits<y: argument 2>
// CHECK-LABEL: func.func private @where_2(
// CHECK-SAME: limits = #loop.limits<m: argument 2 plus 1>
// CHECK-LABEL: func.func private @conv2d_1(
// CHECK-SAME: limits = #loop.limits<y: argument 2>
builtin.module {
  func.func private @transpose(%w2: tensor<2x8x9xf32>) -> tensor<9x8x2xf32> {
    %w2_1 = tensor.map %w2[n, m, b] over (b: 9, m: 8, n: 2) : tensor<2x8x9xf32> -> tensor<9x8x2xf32> {
    ^bb0(%0: f32):
      tensor.yield %0 : f32
    }
    func.return %w2_1 : tensor<9x8x2xf32>
  }
  func.func private @transpose_1(%w1: tensor<4x4x9xf32>) -> tensor<9x4x4xf32> {
    %w1_1 = tensor.map %w1[n, m, b] over (b: 9, m: 4, n: 4) : tensor<4x4x9xf32> -> tensor<9x4x4xf32> {
    ^bb0(%0: f32):
      tensor.yield %0 : f32
    }
    func.return %w1_1 : tensor<9x4x4xf32>
  }
  func.func private @transpose_2(%w0: tensor<4x2x9xf32>) -> tensor<9x2x4xf32> {
    %w0_1 = tensor.map %w0[n, m, b] over (b: 9, m: 2, n: 4) : tensor<4x2x9xf32> -> tensor<9x2x4xf32> {
    ^bb0(%0: f32):
      tensor.yield %0 : f32
    }
    func.return %w0_1 : tensor<9x2x4xf32>
  }
  func.func private @add_div_add(%h: tensor<i64>) -> tensor<i64> {
    %0 = tensor.map %h[] over () : tensor<i64> -> tensor<i64> {
    ^bb0(%1: i64):
      %2 = arith.constant -1 : i64
      %3 = arith.addi %1, %2 : i64
      tensor.yield %3 : i64
    }
    %4 = tensor.map %0[] over () : tensor<i64> -> tensor<i64> {
    ^bb0(%5: i64):
      %6 = arith.constant 2 : i64
      %7 = arith.constant 0 : i64
      %8 = arith.constant 1 : i64
      %9 = arith.cmpi eq, %6, %7 : i64
      %10 = arith.constant -9223372036854775808 : i64
      %11 = arith.cmpi eq, %5, %10 : i64
      %12 = arith.constant -1 : i64
      %13 = arith.cmpi eq, %6, %12 : i64
      %14 = arith.andi %11, %13 : i1
      %15 = arith.ori %9, %14 : i1
      %16 = arith.select %15, %8, %6 : i64
      %17 = arith.divsi %5, %16 : i64
      %18 = arith.select %9, %7, %17 : i64
      tensor.yield %18 : i64
    }
    %19 = tensor.map %4[] over () : tensor<i64> -> tensor<i64> {
    ^bb0(%20: i64):
      %21 = arith.constant 1 : i64
      %22 = arith.addi %20, %21 : i64
      tensor.yield %22 : i64
    }
    func.return %19 : tensor<i64>
  }
  func.func private @compare(%0: tensor<48xi64>, %h: tensor<i64>) -> tensor<48xi1> {
    %1 = tensor.map %0[x], %h[] over (x: 48) : tensor<48xi64>, tensor<i64> -> tensor<48xi1> {
    ^bb0(%2: i64, %3: i64):
      %4 = arith.cmpi slt, %2, %3 : i64
      tensor.yield %4 : i1
    }
    func.return %1 : tensor<48xi1>
  }
  func.func private @where(%0: tensor<48xi1>, %x: tensor<2x48x8xf32>) -> tensor<2x48x8xf32> {
    %1 = tensor.map %0[x], %x[y, x, n] over (y: 2, x: 48, n: 8) : tensor<48xi1>, tensor<2x48x8xf32> -> tensor<2x48x8xf32> {
    ^bb0(%2: i1, %3: f32):
      %4 = arith.constant 0.000000e+00 : f32
      %5 = arith.select %2, %3, %4 : f32
      tensor.yield %5 : f32
    }
    func.return %1 : tensor<2x48x8xf32>
  }
  func.func private @transpose_3(%0: tensor<2x384xf32>) -> tensor<384x2xf32> {
    %1 = tensor.map %0[n, m] over (m: 384, n: 2) : tensor<2x384xf32> -> tensor<384x2xf32> {
    ^bb0(%2: f32):
      tensor.yield %2 : f32
    }
    func.return %1 : tensor<384x2xf32>
  }
  func.func private @conv2d_relu(%0: tensor<48x8x2xf32>, %w0: tensor<3x3x2x4xf32>) -> tensor<24x4x4xf32> {
    %a = tensor.pad %0 low[1, 1, 0] high[1, 1, 0] {
    ^bb0(%1: index, %2: index, %3: index):
      %4 = arith.constant 0.000000e+00 : f32
      tensor.yield %4 : f32
    } : tensor<48x8x2xf32> to tensor<50x10x2xf32>
    %a_1 = tensor.contract %a[y * 2 + ky, x * 2 + kx, k], %w0[ky, kx, k, n] over (y: 24, x: 4, n: 4) reduce (ky: 3, kx: 3, k: 2) : tensor<50x10x2xf32>, tensor<3x3x2x4xf32> -> tensor<24x4x4xf32>
    %b = tensor.map %a_1[y, x, n] over (y: 24, x: 4, n: 4) : tensor<24x4x4xf32> -> tensor<24x4x4xf32> {
    ^bb0(%5: f32):
      %6 = arith.constant 0.000000e+00 : f32
      %7 = arith.cmpf olt, %5, %6 : f32
      %8 = arith.select %7, %6, %5 : f32
      tensor.yield %8 : f32
    }
    func.return %b : tensor<24x4x4xf32>
  }
  func.func private @compare_1(%0: tensor<24xi64>, %1: tensor<i64>) -> tensor<24xi1> {
    %2 = tensor.map %0[x], %1[] over (x: 24) : tensor<24xi64>, tensor<i64> -> tensor<24xi1> {
    ^bb0(%3: i64, %4: i64):
      %5 = arith.cmpi slt, %3, %4 : i64
      tensor.yield %5 : i1
    }
    func.return %2 : tensor<24xi1>
  }
  func.func private @where_1(%0: tensor<24xi1>, %b: tensor<24x16xf32>) -> tensor<24x16xf32> {
    %1 = tensor.map %0[m], %b[m, n] over (m: 24, n: 16) : tensor<24xi1>, tensor<24x16xf32> -> tensor<24x16xf32> {
    ^bb0(%2: i1, %3: f32):
      %4 = arith.constant 0.000000e+00 : f32
      %5 = arith.select %2, %3, %4 : f32
      tensor.yield %5 : f32
    }
    func.return %1 : tensor<24x16xf32>
  }
  func.func private @conv2d(%0: tensor<24x4x4xf32>, %w1: tensor<3x3x4x4xf32>) -> tensor<24x4x4xf32> {
    %c = tensor.pad %0 low[1, 1, 0] high[1, 1, 0] {
    ^bb0(%1: index, %2: index, %3: index):
      %4 = arith.constant 0.000000e+00 : f32
      tensor.yield %4 : f32
    } : tensor<24x4x4xf32> to tensor<26x6x4xf32>
    %c_1 = tensor.contract %c[y + ky, x + kx, k], %w1[ky, kx, k, n] over (y: 24, x: 4, n: 4) reduce (ky: 3, kx: 3, k: 4) : tensor<26x6x4xf32>, tensor<3x3x4x4xf32> -> tensor<24x4x4xf32>
    func.return %c_1 : tensor<24x4x4xf32>
  }
  func.func private @concat(%c: tensor<1x24x4x4xf32>, %b: tensor<1x24x4x4xf32>) -> tensor<1x24x4x8xf32> {
    %d = tensor.concat dim(3) %c, %b : (tensor<1x24x4x4xf32>, tensor<1x24x4x4xf32>) -> tensor<1x24x4x8xf32>
    func.return %d : tensor<1x24x4x8xf32>
  }
  func.func private @where_2(%0: tensor<24xi1>, %d: tensor<24x32xf32>) -> tensor<24x32xf32> {
    %1 = tensor.map %0[m], %d[m, n] over (m: 24, n: 32) : tensor<24xi1>, tensor<24x32xf32> -> tensor<24x32xf32> {
    ^bb0(%2: i1, %3: f32):
      %4 = arith.constant 0.000000e+00 : f32
      %5 = arith.select %2, %3, %4 : f32
      tensor.yield %5 : f32
    }
    func.return %1 : tensor<24x32xf32>
  }
  func.func private @conv2d_1(%0: tensor<24x4x8xf32>, %w2: tensor<3x3x8x2xf32>) -> tensor<24x4x2xf32> {
    %y = tensor.pad %0 low[1, 1, 0] high[1, 1, 0] {
    ^bb0(%1: index, %2: index, %3: index):
      %4 = arith.constant 0.000000e+00 : f32
      tensor.yield %4 : f32
    } : tensor<24x4x8xf32> to tensor<26x6x8xf32>
    %y_1 = tensor.contract %y[y + ky, x + kx, k], %w2[ky, kx, k, n] over (y: 24, x: 4, n: 2) reduce (ky: 3, kx: 3, k: 8) : tensor<26x6x8xf32>, tensor<3x3x8x2xf32> -> tensor<24x4x2xf32>
    func.return %y_1 : tensor<24x4x2xf32>
  }
  func.func private @transpose_4(%y: tensor<96x2xf32>) -> tensor<2x96xf32> {
    %y_1 = tensor.map %y[n, m] over (m: 2, n: 96) : tensor<96x2xf32> -> tensor<2x96xf32> {
    ^bb0(%0: f32):
      tensor.yield %0 : f32
    }
    func.return %y_1 : tensor<2x96xf32>
  }
  func.func @main(%x: tensor<1x2x48x8xf32> {mlc.name = "x", onnx.dims = ["", "", "h", ""], mlc.extents = array<i64: -1, -1, 4, -1>}, %w0: tensor<4x2x3x3xf32> {mlc.name = "w0"}, %w1: tensor<4x4x3x3xf32> {mlc.name = "w1"}, %w2: tensor<2x8x3x3xf32> {mlc.name = "w2"}, %h: tensor<i64> {mlc.name = "h", mlc.range = array<i64: 2, 48>}) -> (tensor<1x2x24x4xf32> {mlc.name = "y", mlc.extents = array<i64: -1, -1, 1, -1>}, tensor<i64> {mlc.name = "y.extent2"}) {
    %w2_1 = tensor.collapse_shape %w2 [[0 : i64], [1 : i64], [2 : i64, 3 : i64]] : tensor<2x8x3x3xf32> into tensor<2x8x9xf32>
    %w2_2 = func.call @transpose(%w2_1) : (tensor<2x8x9xf32>) -> tensor<9x8x2xf32>
    %w2_3 = tensor.expand_shape %w2_2 [[0 : i64, 1 : i64], [2 : i64], [3 : i64]] output_shape [3, 3, 8, 2] : tensor<9x8x2xf32> into tensor<3x3x8x2xf32>
    %w1_1 = tensor.collapse_shape %w1 [[0 : i64], [1 : i64], [2 : i64, 3 : i64]] : tensor<4x4x3x3xf32> into tensor<4x4x9xf32>
    %w1_2 = func.call @transpose_1(%w1_1) : (tensor<4x4x9xf32>) -> tensor<9x4x4xf32>
    %w1_3 = tensor.expand_shape %w1_2 [[0 : i64, 1 : i64], [2 : i64], [3 : i64]] output_shape [3, 3, 4, 4] : tensor<9x4x4xf32> into tensor<3x3x4x4xf32>
    %w0_1 = tensor.collapse_shape %w0 [[0 : i64], [1 : i64], [2 : i64, 3 : i64]] : tensor<4x2x3x3xf32> into tensor<4x2x9xf32>
    %w0_2 = func.call @transpose_2(%w0_1) : (tensor<4x2x9xf32>) -> tensor<9x2x4xf32>
    %w0_3 = tensor.expand_shape %w0_2 [[0 : i64, 1 : i64], [2 : i64], [3 : i64]] output_shape [3, 3, 2, 4] : tensor<9x2x4xf32> into tensor<3x3x2x4xf32>
    %0 = func.call @add_div_add(%h) : (tensor<i64>) -> tensor<i64>
    %1 = arith.constant dense<[[[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11], [12], [13], [14], [15], [16], [17], [18], [19], [20], [21], [22], [23], [24], [25], [26], [27], [28], [29], [30], [31], [32], [33], [34], [35], [36], [37], [38], [39], [40], [41], [42], [43], [44], [45], [46], [47]]]]> : tensor<1x1x48x1xi64>
    %2 = tensor.collapse_shape %1 [[0 : i64, 1 : i64, 2 : i64, 3 : i64]] : tensor<1x1x48x1xi64> into tensor<48xi64>
    %3 = func.call @compare(%2, %h) : (tensor<48xi64>, tensor<i64>) -> tensor<48xi1>
    %4 = arith.constant dense<0.000000e+00> : tensor<f32>
    %x_1 = tensor.collapse_shape %x [[0 : i64, 1 : i64], [2 : i64], [3 : i64]] : tensor<1x2x48x8xf32> into tensor<2x48x8xf32>
    %5 = func.call @where(%3, %x_1) : (tensor<48xi1>, tensor<2x48x8xf32>) -> tensor<2x48x8xf32>
    %6 = tensor.expand_shape %5 [[0 : i64, 1 : i64], [2 : i64], [3 : i64]] output_shape [1, 2, 48, 8] : tensor<2x48x8xf32> into tensor<1x2x48x8xf32>
    %7 = tensor.collapse_shape %6 [[0 : i64, 1 : i64], [2 : i64, 3 : i64]] : tensor<1x2x48x8xf32> into tensor<2x384xf32>
    %8 = func.call @transpose_3(%7) : (tensor<2x384xf32>) -> tensor<384x2xf32>
    %9 = tensor.expand_shape %8 [[0 : i64, 1 : i64, 2 : i64], [3 : i64]] output_shape [1, 48, 8, 2] : tensor<384x2xf32> into tensor<1x48x8x2xf32>
    %10 = tensor.collapse_shape %9 [[0 : i64, 1 : i64], [2 : i64], [3 : i64]] : tensor<1x48x8x2xf32> into tensor<48x8x2xf32>
    %b = func.call @conv2d_relu(%10, %w0_3) : (tensor<48x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<24x4x4xf32>
    %b_1 = tensor.expand_shape %b [[0 : i64, 1 : i64], [2 : i64], [3 : i64]] output_shape [1, 24, 4, 4] : tensor<24x4x4xf32> into tensor<1x24x4x4xf32>
    %11 = arith.constant dense<[[[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11], [12], [13], [14], [15], [16], [17], [18], [19], [20], [21], [22], [23]]]]> : tensor<1x1x24x1xi64>
    %12 = tensor.collapse_shape %11 [[0 : i64, 1 : i64, 2 : i64, 3 : i64]] : tensor<1x1x24x1xi64> into tensor<24xi64>
    %13 = func.call @compare_1(%12, %0) : (tensor<24xi64>, tensor<i64>) -> tensor<24xi1>
    %14 = tensor.expand_shape %13 [[0 : i64, 1 : i64, 2 : i64, 3 : i64]] output_shape [1, 1, 24, 1] : tensor<24xi1> into tensor<1x1x24x1xi1>
    %15 = tensor.collapse_shape %14 [[0 : i64, 1 : i64, 2 : i64, 3 : i64]] : tensor<1x1x24x1xi1> into tensor<24xi1>
    %b_2 = tensor.collapse_shape %b_1 [[0 : i64, 1 : i64], [2 : i64, 3 : i64]] : tensor<1x24x4x4xf32> into tensor<24x16xf32>
    %16 = func.call @where_1(%15, %b_2) : (tensor<24xi1>, tensor<24x16xf32>) -> tensor<24x16xf32>
    %17 = tensor.expand_shape %16 [[0 : i64, 1 : i64], [2 : i64, 3 : i64]] output_shape [1, 24, 4, 4] : tensor<24x16xf32> into tensor<1x24x4x4xf32>
    %18 = tensor.collapse_shape %17 [[0 : i64, 1 : i64], [2 : i64], [3 : i64]] : tensor<1x24x4x4xf32> into tensor<24x4x4xf32>
    %c = func.call @conv2d(%18, %w1_3) : (tensor<24x4x4xf32>, tensor<3x3x4x4xf32>) -> tensor<24x4x4xf32>
    %c_1 = tensor.expand_shape %c [[0 : i64, 1 : i64], [2 : i64], [3 : i64]] output_shape [1, 24, 4, 4] : tensor<24x4x4xf32> into tensor<1x24x4x4xf32>
    %d = func.call @concat(%c_1, %b_1) : (tensor<1x24x4x4xf32>, tensor<1x24x4x4xf32>) -> tensor<1x24x4x8xf32>
    %d_1 = tensor.collapse_shape %d [[0 : i64, 1 : i64], [2 : i64, 3 : i64]] : tensor<1x24x4x8xf32> into tensor<24x32xf32>
    %19 = func.call @where_2(%15, %d_1) : (tensor<24xi1>, tensor<24x32xf32>) -> tensor<24x32xf32>
    %20 = tensor.expand_shape %19 [[0 : i64, 1 : i64], [2 : i64, 3 : i64]] output_shape [1, 24, 4, 8] : tensor<24x32xf32> into tensor<1x24x4x8xf32>
    %21 = tensor.collapse_shape %20 [[0 : i64, 1 : i64], [2 : i64], [3 : i64]] : tensor<1x24x4x8xf32> into tensor<24x4x8xf32>
    %y = func.call @conv2d_1(%21, %w2_3) : (tensor<24x4x8xf32>, tensor<3x3x8x2xf32>) -> tensor<24x4x2xf32>
    %y_1 = tensor.expand_shape %y [[0 : i64, 1 : i64], [2 : i64], [3 : i64]] output_shape [1, 24, 4, 2] : tensor<24x4x2xf32> into tensor<1x24x4x2xf32>
    %y_2 = tensor.collapse_shape %y_1 [[0 : i64, 1 : i64, 2 : i64], [3 : i64]] : tensor<1x24x4x2xf32> into tensor<96x2xf32>
    %y_3 = func.call @transpose_4(%y_2) : (tensor<96x2xf32>) -> tensor<2x96xf32>
    %y_4 = tensor.expand_shape %y_3 [[0 : i64, 1 : i64], [2 : i64, 3 : i64]] output_shape [1, 2, 24, 4] : tensor<2x96xf32> into tensor<1x2x24x4xf32>
    func.return %y_4, %0 : tensor<1x2x24x4xf32>, tensor<i64>
  }
}
