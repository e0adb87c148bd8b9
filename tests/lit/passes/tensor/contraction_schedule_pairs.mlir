// RUN: mlc-opt %s --target=haswell --schedule | filecheck %s
// RUN: mlc-opt %s --target=alderlake --schedule | filecheck %s --check-prefix=ADDS

// Without an instruction that adds to sums, a dot product passes through a register of its own: 6 x 2 sums, two vectors,
// a row and that one are 16 registers. 4 x 3 sums would be one more.
// CHECK-LABEL: @pairs
// CHECK-SAME:  [dot(k, 2), interchange(n, m), tile(n, 16), pack(w, n), tile(m, 6), unroll(mi), tile(ni, 8), vectorize(nii, 8)
// ADDS-LABEL: @pairs
// ADDS-SAME:   tile(n, 24), pack(w, n), tile(m, 4), unroll(mi)
func.func private @pairs(%x: tensor<192x1024xi16>, %w: tensor<1024x240xi16>) -> tensor<192x240xi32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 192, n: 240) reduce (k: 1024) : tensor<192x1024xi16>, tensor<1024x240xi16> -> tensor<192x240xi32>
  func.return %y : tensor<192x240xi32>
}

// Sums of two products in i16 pass by as well, beside the ones that they are multiplied with.
// CHECK-LABEL: @bytes
// CHECK-SAME:  [dot(k, 4),
func.func private @bytes(%x: tensor<192x1024xi8>, %w: tensor<1024x240xi8>) -> tensor<192x240xi32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 192, n: 240) reduce (k: 1024) {unsigned = array<i64: 0>} : tensor<192x1024xi8>, tensor<1024x240xi8> -> tensor<192x240xi32>
  func.return %y : tensor<192x240xi32>
}

// Floats are added to sums by the instruction that multiplies.
// CHECK-LABEL: @floats
// CHECK-SAME:  tile(n, 24), pack(w, n), tile(m, 4), unroll(mi)
func.func private @floats(%x: tensor<192x1024xf32>, %w: tensor<1024x240xf32>) -> tensor<192x240xf32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 192, n: 240) reduce (k: 1024) : tensor<192x1024xf32>, tensor<1024x240xf32> -> tensor<192x240xf32>
  func.return %y : tensor<192x240xf32>
}

func.func @main(%x: tensor<192x1024xi16>, %b: tensor<192x1024xi8>, %f: tensor<192x1024xf32>)
    -> (tensor<192x240xi32>, tensor<192x240xi32>, tensor<192x240xf32>) {
  %w = arith.constant dense<300> : tensor<1024x240xi16>
  %u = arith.constant dense<1> : tensor<1024x240xi8>
  %v = arith.constant dense<0.5> : tensor<1024x240xf32>
  %y = func.call @pairs(%x, %w) : (tensor<192x1024xi16>, tensor<1024x240xi16>) -> tensor<192x240xi32>
  %t = func.call @bytes(%b, %u) : (tensor<192x1024xi8>, tensor<1024x240xi8>) -> tensor<192x240xi32>
  %z = func.call @floats(%f, %v) : (tensor<192x1024xf32>, tensor<1024x240xf32>) -> tensor<192x240xf32>
  return %y, %t, %z : tensor<192x240xi32>, tensor<192x240xi32>, tensor<192x240xf32>
}
