func.func @arithmetic() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-3.0, 0.5)]> : tensor<2xcomplex<f32>>
  %y = stablehlo.constant dense<[(0.0, -1.0), (2.0, 2.0)]> : tensor<2xcomplex<f32>>
  %0 = stablehlo.multiply %x, %y : tensor<2xcomplex<f32>>
  check.expect_eq_const %0, dense<[(2.0, -1.0), (-7.0, -5.0)]> : tensor<2xcomplex<f32>>
  %1 = stablehlo.divide %x, %y : tensor<2xcomplex<f32>>
  check.expect_almost_eq_const %1, dense<[(-2.0, 1.0), (-0.625, 0.875)]> : tensor<2xcomplex<f32>>
  %2 = stablehlo.abs %x : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_almost_eq_const %2, dense<[2.236068, 3.041381]> : tensor<2xf32>
  %3 = stablehlo.exponential %x : tensor<2xcomplex<f32>>
  check.expect_almost_eq_const %3, dense<[(-1.1312044, 2.4717267), (0.04369270, 0.02386950)]> : tensor<2xcomplex<f32>>
  %4 = stablehlo.sqrt %x : tensor<2xcomplex<f32>>
  check.expect_almost_eq_const %4, dense<[(1.2720196, 0.7861514), (0.14383616, 1.7380888)]> : tensor<2xcomplex<f32>>
  %5 = stablehlo.transpose %x, dims = [0] : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  check.expect_eq_const %5, dense<[(1.0, 2.0), (-3.0, 0.5)]> : tensor<2xcomplex<f32>>
  return
}

// -----

func.func @transforms() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  check.expect_almost_eq_const %0, dense<[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0)]> : tensor<3xcomplex<f32>>
  %1 = stablehlo.fft %0, type = IRFFT, length = [4] : (tensor<3xcomplex<f32>>) -> tensor<4xf32>
  check.expect_almost_eq_const %1, dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  return
}

// -----

func.func @reduction() {
  %x = stablehlo.constant dense<[[(1.0, 2.0), (3.0, 4.0)], [(5.0, 6.0), (7.0, 8.0)]]> : tensor<2x2xcomplex<f32>>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
  check.expect_eq_const %0, dense<[(6.0, 8.0), (10.0, 12.0)]> : tensor<2xcomplex<f32>>
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  %1 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<2x2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
  check.expect_eq_const %1, dense<[(-7.0, 16.0), (-11.0, 52.0)]> : tensor<2xcomplex<f32>>
  return
}
