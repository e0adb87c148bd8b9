// Integers wrap around; what the specification leaves open is as in XLA.

func.func @division() {
  %x = stablehlo.constant dense<[7, -7, 7, -7, 5, -2147483648]> : tensor<6xi32>
  %y = stablehlo.constant dense<[2, 2, -2, -2, 0, -1]> : tensor<6xi32>
  %0 = stablehlo.divide %x, %y : tensor<6xi32>
  check.expect_eq_const %0, dense<[3, -3, -3, 3, -1, -2147483648]> : tensor<6xi32>
  %1 = stablehlo.remainder %x, %y : tensor<6xi32>
  check.expect_eq_const %1, dense<[1, -1, 1, -1, 5, 0]> : tensor<6xi32>
  return
}

// -----

func.func @shifts() {
  %x = stablehlo.constant dense<[-8, -8, 1, -8]> : tensor<4xi8>
  %n = stablehlo.constant dense<[1, 9, 7, 7]> : tensor<4xi8>
  %0 = stablehlo.shift_left %x, %n : tensor<4xi8>
  check.expect_eq_const %0, dense<[-16, 0, -128, 0]> : tensor<4xi8>
  %1 = stablehlo.shift_right_logical %x, %n : tensor<4xi8>
  check.expect_eq_const %1, dense<[124, 0, 0, 1]> : tensor<4xi8>
  %2 = stablehlo.shift_right_arithmetic %x, %n : tensor<4xi8>
  check.expect_eq_const %2, dense<[-4, -1, 0, -1]> : tensor<4xi8>
  return
}

// -----

func.func @bits() {
  %x = stablehlo.constant dense<[0, 1, 255, 4096, 4294967295]> : tensor<5xui32>
  %0 = stablehlo.popcnt %x : tensor<5xui32>
  check.expect_eq_const %0, dense<[0, 1, 8, 1, 32]> : tensor<5xui32>
  %1 = stablehlo.count_leading_zeros %x : tensor<5xui32>
  check.expect_eq_const %1, dense<[32, 31, 24, 19, 0]> : tensor<5xui32>
  %2 = stablehlo.bitcast_convert %x : (tensor<5xui32>) -> tensor<5x2xui16>
  check.expect_eq_const %2, dense<[[0, 0], [1, 0], [255, 0], [4096, 0], [65535, 65535]]> : tensor<5x2xui16>
  %3 = stablehlo.bitcast_convert %2 : (tensor<5x2xui16>) -> tensor<5xui32>
  check.expect_eq_const %3, dense<[0, 1, 255, 4096, 4294967295]> : tensor<5xui32>
  return
}

// -----

func.func @powers() {
  %x = stablehlo.constant dense<[2, -3, -1, -1, 1, 2, 0]> : tensor<7xi32>
  %y = stablehlo.constant dense<[10, 3, -3, -2, -5, -1, 0]> : tensor<7xi32>
  %0 = stablehlo.power %x, %y : tensor<7xi32>
  check.expect_eq_const %0, dense<[1024, -27, -1, 1, 1, 0, 1]> : tensor<7xi32>
  return
}

// -----

// Powers wrap in the width of their type; exponents of unsigned types have no sign.

func.func @powers_of_other_widths() {
  %x = stablehlo.constant dense<[3, 3, 2, 255, 0, 7]> : tensor<6xui8>
  %y = stablehlo.constant dense<[5, 6, 8, 255, 200, 0]> : tensor<6xui8>
  %0 = stablehlo.power %x, %y : tensor<6xui8>
  check.expect_eq_const %0, dense<[243, 217, 0, 255, 0, 1]> : tensor<6xui8>
  %z = stablehlo.constant dense<[-2, -2, -1, -1, 3, -128]> : tensor<6xi8>
  %w = stablehlo.constant dense<[7, 8, -128, -127, -1, 1]> : tensor<6xi8>
  %1 = stablehlo.power %z, %w : tensor<6xi8>
  check.expect_eq_const %1, dense<[-128, 0, 1, -1, 0, -128]> : tensor<6xi8>
  %u = stablehlo.constant dense<[3, -1]> : tensor<2xi64>
  %v = stablehlo.constant dense<[41, -9223372036854775807]> : tensor<2xi64>
  %2 = stablehlo.power %u, %v : tensor<2xi64>
  check.expect_eq_const %2, dense<[-420491770248316829, -1]> : tensor<2xi64>
  %a = stablehlo.constant dense<[3, 5]> : tensor<2xui64>
  %b = stablehlo.constant dense<[9223372036854775809, 18446744073709551615]> : tensor<2xui64>
  %3 = stablehlo.power %a, %b : tensor<2xui64>
  check.expect_eq_const %3, dense<[3, 14757395258967641293]> : tensor<2xui64>
  return
}
