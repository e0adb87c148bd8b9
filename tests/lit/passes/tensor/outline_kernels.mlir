// RUN: mlc-opt %s --outline-kernels --check-each 2>%t | filecheck %s
// RUN: mlc-opt %s -O3 --target x86-64-v3 --emit=mlir:tensor | filecheck %s --check-prefix=SCHEDULED

// A bias and a relu are computed in the nest of the product: one kernel. Sums of rows, and what is divided by them, are
// another one.
// CHECK: func.func private @contract_map(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>, %b: tensor<48xf32>) -> tensor<64x48xf32> {
// CHECK-NEXT: tensor.contract
// CHECK-NEXT: tensor.map
// CHECK: func.func private @reduce_map(%h: tensor<64x48xf32>) -> tensor<64x48xf32> {
// CHECK: func.func @main(
// CHECK-NEXT: %h = func.call @contract_map(%x, %w, %b)
// CHECK-NEXT: %y = func.call @reduce_map(%h)
// CHECK-NEXT: func.return %y
// SCHEDULED: func.func private @contract_map({{.*}}) -> tensor<64x48xf32> attributes {schedule = {{.*}}tile(m, 4), unroll(mi)
func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>, %b: tensor<48xf32>) -> tensor<64x48xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 64, n: 48) reduce (k: 32) : tensor<64x32xf32>, tensor<32x48xf32> -> tensor<64x48xf32>
  %h = tensor.map %0[m, n], %b[n] over (m: 64, n: 48) : tensor<64x48xf32>, tensor<48xf32> -> tensor<64x48xf32> {
  ^bb0(%p: f32, %q: f32):
    %t = arith.addf %p, %q : f32
    tensor.yield %t : f32
  }
  %s = tensor.reduce add %h[m, n] over (m: 64) reduce (n: 48) : tensor<64x48xf32> -> tensor<64xf32>
  %y = tensor.map %h[m, n], %s[m] over (m: 64, n: 48) : tensor<64x48xf32>, tensor<64xf32> -> tensor<64x48xf32> {
  ^bb0(%p: f32, %q: f32):
    %t = arith.divf %p, %q : f32
    tensor.yield %t : f32
  }
  return %y : tensor<64x48xf32>
}

// The body of a loop calls kernels, too.
// CHECK: func.func private @map(%s: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK: func.func @in_a_loop(
// CHECK-NEXT: tensor.scan
// CHECK-NEXT: func.call @map(%s, %x)
func.func @in_a_loop(%a: tensor<4xf32>, %xs: tensor<3x4xf32>) -> tensor<4xf32> {
  %y = tensor.scan 3 carry (%s = %a) over (%x = %xs) : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32> {
    %t = tensor.map %s[i], %x[i] over (i: 4) : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32> {
    ^bb0(%p: f32, %q: f32):
      %r = arith.addf %p, %q : f32
      tensor.yield %r : f32
    }
    tensor.yield %t : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// What uses a scalar from outside stays, and so does a function with a schedule, and one that is a kernel already.
// CHECK: func.func @scalar(
// CHECK-NEXT: tensor.map
func.func @scalar(%x: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
  %y = tensor.map %x[i] over (i: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%p: f32):
    %q = arith.mulf %p, %f : f32
    tensor.yield %q : f32
  }
  return %y : tensor<4xf32>
}

// CHECK: func.func @by_hand(
// CHECK-NEXT: tensor.reduce
func.func @by_hand(%x: tensor<4x4xf32>) -> tensor<4xf32> attributes {schedule = #loop.schedule<[tile(i, 2)]>} {
  %y = tensor.reduce add %x[i, j] over (i: 4) reduce (j: 4) : tensor<4x4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK: func.func private @kernel(
// CHECK-NEXT: tensor.reduce
func.func private @kernel(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  %y = tensor.reduce add %x[i, j] over (i: 4) reduce (j: 4) : tensor<4x4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Sums of columns are not of the rows that their reader passes over, and what has another reader is a kernel of its own.
// CHECK: func.func private @reduce(%x: tensor<64x48xf32>) -> tensor<48xf32> {
// CHECK: func.func private @map_1(%x: tensor<64x48xf32>, %s: tensor<48xf32>) -> tensor<64x48xf32> {
// CHECK: func.func private @reduce_1(%y: tensor<64x48xf32>) -> tensor<64xf32> {
// CHECK: func.func private @map_2(%y: tensor<64x48xf32>, %r: tensor<64xf32>) -> tensor<64x48xf32> {
func.func @columns(%x: tensor<64x48xf32>) -> (tensor<64x48xf32>, tensor<64xf32>) {
  %s = tensor.reduce add %x[m, n] over (n: 48) reduce (m: 64) : tensor<64x48xf32> -> tensor<48xf32>
  %y = tensor.map %x[m, n], %s[n] over (m: 64, n: 48) : tensor<64x48xf32>, tensor<48xf32> -> tensor<64x48xf32> {
  ^bb0(%p: f32, %q: f32):
    %t = arith.divf %p, %q : f32
    tensor.yield %t : f32
  }
  %r = tensor.reduce add %y[m, n] over (m: 64) reduce (n: 48) : tensor<64x48xf32> -> tensor<64xf32>
  %z = tensor.map %y[m, n], %r[m] over (m: 64, n: 48) : tensor<64x48xf32>, tensor<64xf32> -> tensor<64x48xf32> {
  ^bb0(%p: f32, %q: f32):
    %t = arith.divf %p, %q : f32
    tensor.yield %t : f32
  }
  return %z, %r : tensor<64x48xf32>, tensor<64xf32>
}
