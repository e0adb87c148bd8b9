// Every float type is read and printed, in attributes, constants and elements, in both forms.
// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s

// CHECK-LABEL: @narrow
func.func @narrow() -> (f8E5M2, f8E4M3FN, f6E3M2FN, f4E2M1FN, tf32, bf16) {
  // CHECK: arith.constant 1.500000e+00 : f8E5M2
  %0 = arith.constant 1.5 : f8E5M2
  // CHECK: arith.constant 1.500000e+00 : f8E4M3FN
  %1 = arith.constant 1.5 : f8E4M3FN
  // CHECK: arith.constant 1.500000e+00 : f6E3M2FN
  %2 = arith.constant 1.5 : f6E3M2FN
  // CHECK: arith.constant 1.500000e+00 : f4E2M1FN
  %3 = arith.constant 1.5 : f4E2M1FN
  // CHECK: arith.constant 1.500000e+00 : tf32
  %4 = arith.constant 1.5 : tf32
  // CHECK: arith.constant 1.500000e+00 : bf16
  %5 = arith.constant 1.5 : bf16
  // CHECK: dense<[1.500000e+00, -2.000000e+00]> : tensor<2xf8E4M3B11FNUZ>
  %6 = arith.constant dense<[1.5, -2.0]> : tensor<2xf8E4M3B11FNUZ>
  // CHECK: return {{.*}} : f8E5M2, f8E4M3FN, f6E3M2FN, f4E2M1FN, tf32, bf16
  return %0, %1, %2, %3, %4, %5 : f8E5M2, f8E4M3FN, f6E3M2FN, f4E2M1FN, tf32, bf16
}

// CHECK-LABEL: @wide
func.func @wide() {
  // CHECK: arith.constant 1.500000e+00 : f80
  %0 = arith.constant 1.5 : f80
  // CHECK: arith.constant 1.500000e+00 : f128
  %1 = arith.constant 1.5 : f128
  // CHECK: arith.constant -0.000000e+00 : f128
  %2 = arith.constant -0.0 : f128
  // Seventeen digits where six are not enough.
  // CHECK: arith.constant 1.2345678901234567e+00 : f80
  %3 = arith.constant 1.2345678901234567 : f80
  // CHECK: arith.constant 0x7FFF8000000000000000 : f80
  %4 = arith.constant 0x7FFF8000000000000000 : f80
  // CHECK: arith.constant 0xFFFF8000000000000000000000000000 : f128
  %5 = arith.constant 0xFFFF8000000000000000000000000000 : f128
  // CHECK: arith.constant -2.000000e+00 : f80
  %6 = arith.constant 0xC0008000000000000000 : f80
  return
}
