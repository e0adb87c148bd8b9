// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Floats without a point, as Python prints them, are read wherever numbers are; they are printed with one.

// CHECK: attributes {a = 1.000000e-05 : f64, b = 1.000000e+05 : f32, c = -1.000000e+05 : f64, d = 2.000000e+05 : f64}
func.func private @attributes() attributes {a = 1e-05, b = 1e5 : f32, c = -1E+5, d = 2.e5}
// CHECK: attributes {a = array<f32: 1.000000e-01, 2.000000e+00, 3.000000e+00>, b = 0x7f800000 : f32}
func.func private @more() attributes {a = array<f32: 1e-1, 2.0, 0x40400000>, b = 1e400 : f32}
func.func @operations() {
  // CHECK: arith.constant 1.000000e-05 : f32
  %0 = arith.constant 1e-05 : f32
  // CHECK: arith.constant dense<[1.000000e-05, -2.000000e+00]> : tensor<2xf32>
  %1 = arith.constant dense<[1e-05, -2e0]> : tensor<2xf32>
  // CHECK: arith.constant dense<[1.001360e-05, -2.000000e+00]> : tensor<2xf16>
  %2 = arith.constant dense<[1e-05, -2E0]> : tensor<2xf16>
  // CHECK: arith.constant dense<3.000000e+10> : tensor<2xf32>
  %3 = arith.constant dense<3e10> : tensor<2xf32>
  // CHECK: arith.constant dense<(1.000000e+00,2.000000e+00)> : tensor<1xcomplex<f32>>
  %4 = arith.constant dense<[(1e0, 2.0)]> : tensor<1xcomplex<f32>>
  // CHECK: llvm.mlir.constant(1.000000e-05 : f32) : f32
  %5 = llvm.mlir.constant(1e-05 : f32) : f32
  // CHECK: llvm.mlir.constant(dense<1.000000e-05> : vector<2xf32>) : vector<2xf32>
  %6 = llvm.mlir.constant(dense<1e-05> : vector<2xf32>) : vector<2xf32>
  // Sizes are still sizes.
  // CHECK: tensor<0x1xf32>
  %7 = arith.constant dense<> : tensor<0x1xf32>
  return
}
// CHECK: graph.layer_norm {{.*}} epsilon 1.000000e-05
func.func @model(%x: tensor<2x4xf32>, %s: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = graph.layer_norm %x, %s, %s axis 1 epsilon 1e-05
     : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
