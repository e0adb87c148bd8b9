// RUN: mlc-opt %s --convert-stablehlo-to-graph --split-input-file | filecheck %s
// NO-CHECK-EACH: the signs of eigenvectors are free, and a matrix with infinities or NaN has no factors

// A loop whose steps have one shape: as much code for a thousand rows as for forty.

// CHECK-LABEL: func.func @factor
// CHECK: graph.scan 32 carry
// CHECK: graph.scan 32 carry
// CHECK: graph.sqrt
// CHECK-NOT: stablehlo
func.func @factor(%x: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<1000x1000xf32>) -> (tensor<1000x1000xf32>, tensor<i32>)
  return %0#0 : tensor<1000x1000xf32>
}

// -----

// CHECK-LABEL: func.func @small
// CHECK: graph.scan 5 carry
// CHECK-NOT: graph.scan
func.func @small(%x: tensor<2x5x5xf64>) -> tensor<2x5x5xf64> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<2x5x5xf64>
  return %0 : tensor<2x5x5xf64>
}

// -----

// CHECK-LABEL: func.func @pivots
// CHECK: graph.argmax
// CHECK: graph.gather_nd
func.func @pivots(%x: tensor<5x7xf64>) -> (tensor<5x7xf64>, tensor<5xi32>) {
  %0:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%x) : (tensor<5x7xf64>) -> (tensor<5x7xf64>, tensor<5xi32>, tensor<i32>)
  return %0#0, %0#1 : tensor<5x7xf64>, tensor<5xi32>
}

// -----

// Sweeps until nothing is left to be made 0.

// CHECK-LABEL: func.func @eigenvectors
// CHECK: graph.while
// CHECK: graph.scan 7 carry
// CHECK: graph.argsort
func.func @eigenvectors(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%x) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>, tensor<i32>)
  return %0#0 : tensor<8x8xf32>
}
