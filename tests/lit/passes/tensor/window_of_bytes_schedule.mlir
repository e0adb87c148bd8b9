// RUN: mlc-opt %s --schedule --target=icelake-server | filecheck %s --check-prefix=VNNI
// RUN: mlc-opt %s --schedule --target=alderlake | filecheck %s --check-prefix=AVXVNNI
// RUN: mlc-opt %s --schedule --target=haswell | filecheck %s --check-prefix=AVX2
// RUN: mlc-opt %s --schedule --target=neoverse-v1 | filecheck %s --check-prefix=I8MM
// RUN: mlc-opt %s --schedule --target=cortex-a72 | filecheck %s --check-prefix=PLAIN

// Words of four bytes fill four registers, so a vector has four times the lanes; of two numbers of 16 bits, twice.

// PLAIN-NOT: dot_taps
// VNNI-LABEL:    @three(
// VNNI-SAME:       tile(n, 64), tile(x, 7), unroll(xi), tile(y, 2), unroll(yi), unroll(kx), unroll(ky), dot_taps(ni, 4), vectorize(ni, 64)
// AVXVNNI-LABEL: @three(
// AVXVNNI-SAME:    tile(n, 32), tile(x, 7), unroll(xi), unroll(kx), unroll(ky), dot_taps(ni, 4), vectorize(ni, 32)
// AVX2-LABEL:    @three(
// AVX2-SAME:       tile(n, 16), tile(x, 7), unroll(xi), tile(y, 2), unroll(yi), unroll(kx), unroll(ky), dot_taps(ni, 2), vectorize(ni, 16)
// I8MM-LABEL:    @three(
// I8MM-SAME:       dot_taps(ni, 4), vectorize(ni, 16)
func.func private @three(%a: tensor<16x16x384xi8>, %w: tensor<3x3x384xi8>) -> tensor<14x14x384xi32> {
  %0 = tensor.contract %a[y + ky, x + kx, n], %w[ky, kx, n] over (y: 14, x: 14, n: 384) reduce (ky: 3, kx: 3) {unsigned = array<i64: 0>}
      : tensor<16x16x384xi8>, tensor<3x3x384xi8> -> tensor<14x14x384xi32>
  func.return %0 : tensor<14x14x384xi32>
}

// All words of weights of larger blocks would come from the second cache.

// VNNI-LABEL:    @five(
// VNNI-SAME:       tile(n, 64), tile(x, 2), unroll(xi), tile(y, 2), unroll(yi), unroll(kx), unroll(ky), dot_taps(ni, 4), vectorize(ni, 64)
func.func private @five(%a: tensor<18x18x240xi8>, %w: tensor<5x5x240xi8>) -> tensor<14x14x240xi32> {
  %0 = tensor.contract %a[y + ky, x + kx, n], %w[ky, kx, n] over (y: 14, x: 14, n: 240) reduce (ky: 5, kx: 5) {unsigned = array<i64: 0>}
      : tensor<18x18x240xi8>, tensor<5x5x240xi8> -> tensor<14x14x240xi32>
  func.return %0 : tensor<14x14x240xi32>
}

// The weights are not known.

// VNNI-LABEL:    @unknown(
// VNNI-NOT:        dot_taps
// VNNI:          @main
func.func private @unknown(%a: tensor<16x16x384xi8>, %w: tensor<3x3x384xi8>) -> tensor<14x14x384xi32> {
  %0 = tensor.contract %a[y + ky, x + kx, n], %w[ky, kx, n] over (y: 14, x: 14, n: 384) reduce (ky: 3, kx: 3) {unsigned = array<i64: 0>}
      : tensor<16x16x384xi8>, tensor<3x3x384xi8> -> tensor<14x14x384xi32>
  func.return %0 : tensor<14x14x384xi32>
}

func.func @main(%a: tensor<16x16x384xi8>, %b: tensor<18x18x240xi8>, %v: tensor<3x3x384xi8>)
    -> (tensor<14x14x384xi32>, tensor<14x14x240xi32>, tensor<14x14x384xi32>) {
  %three = arith.constant dense<3> : tensor<3x3x384xi8>
  %five = arith.constant dense<5> : tensor<5x5x240xi8>
  %0 = func.call @three(%a, %three) : (tensor<16x16x384xi8>, tensor<3x3x384xi8>) -> tensor<14x14x384xi32>
  %1 = func.call @five(%b, %five) : (tensor<18x18x240xi8>, tensor<5x5x240xi8>) -> tensor<14x14x240xi32>
  %2 = func.call @unknown(%a, %v) : (tensor<16x16x384xi8>, tensor<3x3x384xi8>) -> tensor<14x14x384xi32>
  return %0, %1, %2 : tensor<14x14x384xi32>, tensor<14x14x240xi32>, tensor<14x14x384xi32>
}
