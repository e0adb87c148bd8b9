// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s

// CHECK-LABEL: func.func @check
func.func @check(%x: tensor<2xf32>) {
  // CHECK-NEXT: check.expect_eq_const %x, dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  check.expect_eq_const %x, dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK-NEXT: check.expect_almost_eq_const %x, dense<1.000000e+00> : tensor<2xf32>, tolerance = 0.5
  check.expect_almost_eq_const %x, dense<1.0> : tensor<2xf32>, tolerance = 0.5
  // CHECK-NEXT: check.expect_close %x, %x, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
  check.expect_close %x, %x, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
  // CHECK-NEXT: check.expect_almost_eq %x, %x, tolerance = 0.001 : tensor<2xf32>
  check.expect_almost_eq %x, %x, tolerance = 0.001 : tensor<2xf32>
  // CHECK-NEXT: check.expect_eq %x, %x : tensor<2xf32>
  check.expect_eq %x, %x : tensor<2xf32>
  return
}
