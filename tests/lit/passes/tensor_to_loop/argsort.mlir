// RUN: mlc-opt %s --convert-tensor-to-loop | filecheck %s
// SLOW: interprets the loops of radix sorts

// Two digits of 8 bits: counted in one pass over the keys, summed up, and a pass over the keys for each.
// CHECK-LABEL: func.func private @radix_sort(
// CHECK: loop.for parallel "m"
// CHECK: loop.for parallel "digit" %{{.*}} = 0 to 256
// CHECK: loop.for serial "k" %{{.*}} = 0 to 9
// CHECK: loop.for serial "digit" %{{.*}} = 0 to 256 iter_args({{.*}}) -> (i32, i32)
// CHECK: loop.for serial "k" %{{.*}} = 0 to 9
// CHECK: loop.for serial "k" %{{.*}} = 0 to 9
// CHECK-NOT: loop.for serial
// CHECK: loop.for parallel "k" %{{.*}} = 0 to 5
func.func private @radix_sort(%keys: tensor<2x9xi16>) -> tensor<2x5xi64> {
  %0 = tensor.argsort %keys first 5 : tensor<2x9xi16> -> tensor<2x5xi64>
  return %0 : tensor<2x5xi64>
}

// Digits of long rows have 11 bits.
// CHECK-LABEL: func.func private @long_digits(
// CHECK: loop.for parallel "digit" %{{.*}} = 0 to 2048
// CHECK: loop.for serial "digit" %{{.*}} = 0 to 2048 iter_args({{.*}}) -> (i32, i32, i32)
func.func private @long_digits(%keys: tensor<1x5000xi32>) -> tensor<1x5000xi64> {
  %0 = tensor.argsort %keys first 5000 : tensor<1x5000xi32> -> tensor<1x5000xi64>
  return %0 : tensor<1x5000xi64>
}

// A pass over the row per bit, then one that takes the positions.
// CHECK-LABEL: func.func private @least(
// CHECK: loop.for serial "bit" %{{.*}} = 0 to 8 iter_args({{.*}}) -> (i8, i8)
// CHECK: loop.for serial "k" %{{.*}} = 0 to 9 iter_args({{.*}}) -> (i32)
// CHECK: loop.for serial "k" %{{.*}} = 0 to 9 iter_args({{.*}}) -> (i32)
// CHECK: loop.for serial "k" %{{.*}} = 0 to 9 iter_args({{.*}}) -> (i32, i32)
func.func private @least(%keys: tensor<2x9xi8>) -> tensor<2x3xi64> {
  %0 = tensor.top_k %keys first 3 : tensor<2x9xi8> -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}
