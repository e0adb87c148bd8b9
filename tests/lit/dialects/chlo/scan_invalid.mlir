// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<2x3xi32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{chlo.scan: there are 2 operands, in segments of [2, 1] (scan_c1)}}
  %0:2 = "chlo.scan"(%x, %i) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 2, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    stablehlo.return %a, %b : tensor<2xi32>, tensor<2xi32>
  }) : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xi32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{chlo.scan: 1 values are carried, and 0 are results; these must be as many (scan_c2)}}
  %0:2 = "chlo.scan"(%x, %i) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 2, 0>}> ({
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    stablehlo.return %a, %b : tensor<2xi32>, tensor<2xi32>
  }) : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xi32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{chlo.scan: without inputs, scan_dim_size says how many steps there are (scan_c3)}}
  %0:1 = chlo.scan() inits(%i) dimension=1 {
  ^bb0(%b: tensor<2xi32>):
    stablehlo.return %b : tensor<2xi32>
  } : (tensor<2xi32>) -> (tensor<2xi32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xi32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{chlo.scan: dim 1 of tensor<2x4xi32> has the 3 elements of the scan (scan_c4)}}
  %0:2 = chlo.scan(%x) inits(%i) dimension=1 {
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    stablehlo.return %a, %b : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x4xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xi32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{chlo.scan: tensor<2x3xi32> has a dim 2, over which the scan goes (scan_c4)}}
  %0:2 = chlo.scan(%x) inits(%i) dimension=2 {
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    stablehlo.return %a, %b : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xi32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{chlo.scan: the body takes (tensor<3xi32>, tensor<2xi32>); it must take (tensor<2xi32>, tensor<2xi32>) (scan_c5)}}
  %0:2 = chlo.scan(%x) inits(%i) dimension=1 {
  ^bb0(%a: tensor<3xi32>, %b: tensor<2xi32>):
    stablehlo.return %b, %b : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xi32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{chlo.scan: the body returns (tensor<2xi32>); it must return (tensor<2xi32>, tensor<2xi32>) (scan_c6)}}
  %0:2 = chlo.scan(%x) inits(%i) dimension=1 {
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    stablehlo.return %b : tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xi32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{chlo.scan: the last results are (tensor<4xi32>); what is carried is (tensor<2xi32>) (scan_c7)}}
  %0:2 = chlo.scan(%x) inits(%i) dimension=1 {
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    stablehlo.return %a, %b : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<4xi32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xi32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{0 results; at least the 1 that are carried}}
  %0:1 = chlo.scan(%x) inits(%i) dimension=1 {
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    stablehlo.return %a, %b : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> ()
  return
}
