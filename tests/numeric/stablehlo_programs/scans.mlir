// Sums so far, from the end, along the second dim, with what stands before.
func.func @sums() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %init = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %0:2 = chlo.scan(%x) inits(%init) dimension=1 attributes {is_reverse = true} {
  ^bb0(%element: tensor<2xi32>, %sum: tensor<2xi32>):
    %1 = stablehlo.add %element, %sum : tensor<2xi32>
    stablehlo.return %1, %1 : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[[16, 15, 13], [35, 31, 26]]> : tensor<2x3xi32>
  check.expect_eq_const %0#1, dense<[16, 35]> : tensor<2xi32>
  return
}

// Two inputs, one of complex numbers, one output; the body sees a value around it.
func.func @products() {
  %x = stablehlo.constant dense<[(1.0, 1.0), (0.0, 2.0)]> : tensor<2xcomplex<f32>>
  %y = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %around = stablehlo.constant dense<10.0> : tensor<f32>
  %init = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  %0:2 = chlo.scan(%x, %y) inits(%init) dimension=0 {
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<f32>, %so_far: tensor<complex<f32>>):
    %1 = stablehlo.multiply %a, %so_far : tensor<complex<f32>>
    %2 = stablehlo.multiply %b, %around : tensor<f32>
    stablehlo.return %2, %1 : tensor<f32>, tensor<complex<f32>>
  } : (tensor<2xcomplex<f32>>, tensor<2xf32>, tensor<complex<f32>>) -> (tensor<2xf32>, tensor<complex<f32>>)
  check.expect_eq_const %0#0, dense<[20.0, 30.0]> : tensor<2xf32>
  check.expect_eq_const %0#1, dense<(-2.0, 2.0)> : tensor<complex<f32>>
  return
}

// No outputs, and no steps.
func.func @none() {
  %x = stablehlo.constant dense<> : tensor<0xf32>
  %init = stablehlo.constant dense<5.0> : tensor<f32>
  %0 = chlo.scan(%x) inits(%init) dimension=0 {
  ^bb0(%a: tensor<f32>, %sum: tensor<f32>):
    %1 = stablehlo.add %a, %sum : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  } : (tensor<0xf32>, tensor<f32>) -> (tensor<f32>)
  check.expect_eq_const %0, dense<5.0> : tensor<f32>
  return
}
