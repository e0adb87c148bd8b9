// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<4xf32>, %n: tensor<4xi32>, %z: tensor<4xcomplex<f32>>, %p: tensor<i1>) {
  // CHECK-NEXT: stablehlo.add %x, %x : tensor<4xf32>
  // GENERIC: "stablehlo.add"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.abs %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %1 = stablehlo.abs %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK-NEXT: stablehlo.complex %x, %x : tensor<4xcomplex<f32>>
  %2 = stablehlo.complex %x, %x : tensor<4xcomplex<f32>>
  // CHECK-NEXT: stablehlo.compare LT, %x, %0, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // GENERIC: "stablehlo.compare"(%x, %0) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type TOTALORDER>}>
  %3 = stablehlo.compare LT, %x, %0, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: stablehlo.compare NE, %n, %n : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %4 = stablehlo.compare  NE, %n, %n : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  // CHECK-NEXT: stablehlo.select %3, %x, %0 : tensor<4xi1>, tensor<4xf32>
  %5 = stablehlo.select %3, %x, %0 : tensor<4xi1>, tensor<4xf32>
  // CHECK-NEXT: stablehlo.select %p, %x, %0 : tensor<i1>, tensor<4xf32>
  %6 = stablehlo.select %p, %x, %0 : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: stablehlo.reduce_precision %x, format = e5m2 : tensor<4xf32>
  // GENERIC: "stablehlo.reduce_precision"(%x) <{exponent_bits = 5 : i32, mantissa_bits = 2 : i32}>
  %7 = stablehlo.reduce_precision %x, format = e5m2 : tensor<4xf32>
  // CHECK-NEXT: stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xui8>
  %8 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xui8>
  // CHECK-NEXT: stablehlo.convert %n : tensor<4xi32>
  %9 = stablehlo.convert %n : tensor<4xi32>
  // CHECK-NEXT: stablehlo.is_finite %x : (tensor<4xf32>) -> tensor<4xi1>
  %10 = stablehlo.is_finite %x : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: stablehlo.tan %x {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %11 = stablehlo.tan %x {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}
