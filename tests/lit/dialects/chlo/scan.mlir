// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s

// CHECK-LABEL: func.func @sums
// CHECK-NEXT: chlo.scan(%x) inits(%i) dimension=1 attributes {is_reverse = true} {
// CHECK-NEXT: ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
// CHECK: } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
func.func @sums(%x: tensor<2x3xi32>, %i: tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>) {
  %0:2 = chlo.scan(%x) inits(%i) dimension=1 attributes {is_reverse = true} {
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    %1 = stablehlo.add %a, %b : tensor<2xi32>
    stablehlo.return %1, %1 : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2x3xi32>, tensor<2xi32>
}

// CHECK-LABEL: func.func @without_inputs
// CHECK: chlo.scan() inits(%i) dimension=0 attributes {scan_dim_size = 4 : i64} {
// CHECK: } : (tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
func.func @without_inputs(%i: tensor<f32>) -> tensor<4xf32> {
  %0:2 = chlo.scan() inits(%i) dimension=0 attributes {scan_dim_size = 4 : i64} {
  ^bb0(%b: tensor<f32>):
    stablehlo.return %b, %b : tensor<f32>, tensor<f32>
  } : (tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return %0#0 : tensor<4xf32>
}
