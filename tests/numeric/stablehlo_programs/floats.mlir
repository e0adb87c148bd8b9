// Zeros of both signs, infinities and NaN.

func.func @rounding() {
  %x = stablehlo.constant dense<[0.5, 1.5, -0.5, -2.5, 0.4999999701976776, 8388609.0]> : tensor<6xf32>
  %0 = stablehlo.round_nearest_even %x : tensor<6xf32>
  check.expect_eq_const %0, dense<[0.0, 2.0, -0.0, -2.0, 0.0, 8388609.0]> : tensor<6xf32>
  %1 = stablehlo.round_nearest_afz %x : tensor<6xf32>
  check.expect_eq_const %1, dense<[1.0, 2.0, -1.0, -3.0, 0.0, 8388609.0]> : tensor<6xf32>
  return
}

// -----

func.func @angles() {
  %y = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.0, 1.0, 0x7F800000, 0xFF800000, 1.0, -1.0]> : tensor<9xf32>
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, -1.0, 0.0, 0x7F800000, 0xFF800000, -1.0, -0.0]> : tensor<9xf32>
  %0 = stablehlo.atan2 %y, %x : tensor<9xf32>
  check.expect_close %0, %0, max_ulp_difference = 0 : tensor<9xf32>, tensor<9xf32>
  check.expect_almost_eq_const %0, dense<[0.0, 0.0, 3.14159274, -3.14159274, 1.57079637, 0.785398185, -2.3561945, 2.3561945, -1.57079637]> : tensor<9xf32>, tolerance = 0.000001
  return
}

// -----

func.func @comparisons() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0x7FC00000, 0xFFC00000, 1.0]> : tensor<5xf32>
  %y = stablehlo.constant dense<[-0.0, 0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  %0 = stablehlo.compare GT, %x, %y, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %0, dense<[false, false, false, false, false]> : tensor<5xi1>
  %1 = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %1, dense<[true, false, true, false, false]> : tensor<5xi1>
  return
}

// -----

func.func @precision() {
  %x = stablehlo.constant dense<[1.0, 3.1415926, 65536.0, 1.0e-9, 0x7F800000, -65520.0]> : tensor<6xf32>
  %0 = stablehlo.reduce_precision %x, format = e5m10 : tensor<6xf32>
  check.expect_eq_const %0, dense<[1.0, 3.140625, 0x7F800000, 0.0, 0x7F800000, 0xFF800000]> : tensor<6xf32>
  return
}

// -----

func.func @special() {
  %x = stablehlo.constant dense<[0.5, 3.0, 10.5, -1.5, 1.0]> : tensor<5xf32>
  %0 = chlo.lgamma %x : tensor<5xf32> -> tensor<5xf32>
  check.expect_almost_eq_const %0, dense<[0.5723649, 0.6931472, 13.940625, 0.86004704, 0.0]> : tensor<5xf32>, tolerance = 0.000002
  %1 = chlo.digamma %x : tensor<5xf32> -> tensor<5xf32>
  check.expect_almost_eq_const %1, dense<[-1.9635100, 0.9227843, 2.3030013, 0.7031566, -0.5772157]> : tensor<5xf32>, tolerance = 0.000002
  %p = stablehlo.constant dense<[0.0, 0.5, -0.9, 0.999999, 1.0e-7]> : tensor<5xf32>
  %2 = chlo.erf_inv %p : tensor<5xf32> -> tensor<5xf32>
  check.expect_almost_eq_const %2, dense<[0.0, 0.47693628, -1.1630871, 3.4570747, 8.8622693e-8]> : tensor<5xf32>, tolerance = 0.00001
  return
}

// -----

func.func @neighbours() {
  %x = stablehlo.constant dense<[1.0, 1.0, 0.0, -0.0, 0x7F800000, 2.0]> : tensor<6xf32>
  %y = stablehlo.constant dense<[2.0, 0.0, 1.0, -1.0, 0.0, 2.0]> : tensor<6xf32>
  %0 = chlo.next_after %x, %y : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
  check.expect_eq_const %0, dense<[0x3F800001, 0x3F7FFFFF, 0x00000001, 0x80000001, 0x7F7FFFFF, 2.0]> : tensor<6xf32>
  return
}
