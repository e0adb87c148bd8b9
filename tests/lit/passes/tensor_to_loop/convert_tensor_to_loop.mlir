// RUN: mlc-opt %s --convert-tensor-to-loop | filecheck %s

// The bias and the activation are computed in place: between the reduction and the only store.
// CHECK-LABEL: func.func private @linear_relu(
// CHECK-SAME: %[[X:.*]]: memref<2x4xf32>, %[[W:.*]]: memref<4x3xf32>, %[[B:.*]]: memref<3xf32>, %[[OUT:.*]]: memref<2x3xf32> {mlc.output}) {
// CHECK-NEXT: loop.for parallel "m" %[[M:.*]] = 0 to 2 {
// CHECK-NEXT: loop.for parallel "n" %[[N:.*]] = 0 to 3 {
// CHECK-NEXT: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[SUM:.*]] = loop.for serial "k" %[[K:.*]] = 0 to 4 iter_args(%[[ACC:.*]] = %[[Z]]) -> (f32) {
// CHECK-NEXT: %[[P:.*]] = loop.load %[[X]][%[[M]], %[[K]]]
// CHECK-NEXT: %[[Q:.*]] = loop.load %[[W]][%[[K]], %[[N]]]
// CHECK-NEXT: %[[R:.*]] = math.fma %[[P]], %[[Q]], %[[ACC]] : f32
// CHECK-NEXT: loop.yield %[[R]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: %[[BIAS:.*]] = loop.load %[[B]][%[[N]]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[SUM]], %[[BIAS]] : f32
// CHECK: %[[Y:.*]] = arith.maximumf %[[S]]
// CHECK-NEXT: loop.store %[[Y]], %[[OUT]][%[[M]], %[[N]]]
// CHECK-NOT: memref.alloc
func.func private @linear_relu(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 2, n: 3) reduce (k: 4) : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  %1 = tensor.map %0[m, n], %b[n] over (m: 2, n: 3) : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32> {
  ^bb0(%a: f32, %bias: f32):
    %s = arith.addf %a, %bias : f32
    tensor.yield %s : f32
  }
  %2 = tensor.map %1[m, n] over (m: 2, n: 3) : tensor<2x3xf32> -> tensor<2x3xf32> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %s = arith.maximumf %a, %zero : f32
    tensor.yield %s : f32
  }
  return %2 : tensor<2x3xf32>
}

// A value that is read twice at one point is computed once, and has no buffer.
// CHECK-LABEL: func.func private @two_uses(
// CHECK-NEXT: loop.for parallel "n"
// CHECK-NEXT: %[[A:.*]] = loop.load %x[%n]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[A]]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[S]], %[[S]]
// CHECK-NEXT: loop.store %[[P]], %out[%n]
func.func private @two_uses(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    tensor.yield %s : f32
  }
  %1 = tensor.map %0[n], %0[n] over (n: 4) : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    tensor.yield %s : f32
  }
  return %1 : tensor<4xf32>
}

// Nor has a product in `x * sigmoid(x)`, or what is transposed on both ways to its reader.
// CHECK-LABEL: func.func private @gated(
// CHECK-NOT: memref.alloc
// CHECK: %[[P:.*]] = loop.for serial "k"
// CHECK: %[[E:.*]] = math.exp %[[P]]
// CHECK: %[[Q:.*]] = arith.mulf %[[P]], %[[E]]
// CHECK-NEXT: loop.store %[[Q]], %out[%n, %m]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func private @gated(%x: tensor<2x5xf32>, %w: tensor<5x3xf32>) -> tensor<3x2xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 2, n: 3) reduce (k: 5) : tensor<2x5xf32>, tensor<5x3xf32> -> tensor<2x3xf32>
  %1 = tensor.map %0[m, n] over (n: 3, m: 2) : tensor<2x3xf32> -> tensor<3x2xf32> {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    tensor.yield %e : f32
  }
  %2 = tensor.map %0[m, n], %1[n, m] over (n: 3, m: 2) : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<3x2xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    tensor.yield %s : f32
  }
  return %2 : tensor<3x2xf32>
}

// Two points of it are needed at a time: it gets a buffer.
// CHECK-LABEL: func.func private @two_points(
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<2x2xf32>
func.func private @two_points(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = tensor.map %x[m, n] over (m: 2, n: 2) : tensor<2x2xf32> -> tensor<2x2xf32> {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    tensor.yield %s : f32
  }
  %1 = tensor.map %0[m, n], %0[n, m] over (m: 2, n: 2) : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    tensor.yield %s : f32
  }
  return %1 : tensor<2x2xf32>
}

// So does what one reader needs in the loop of a reduction, and another one outside; not what is squared in the loop.
// CHECK-LABEL: func.func private @inside_and_outside(
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK: loop.for serial "k"
// CHECK: loop.for serial "k"
// CHECK-NEXT: %[[X:.*]] = loop.load %x[%k_1]
// CHECK-NEXT: %[[Y:.*]] = math.exp %[[X]]
// CHECK-NEXT: math.fma %[[Y]], %[[Y]]
func.func private @inside_and_outside(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %s = math.absf %a : f32
    tensor.yield %s : f32
  }
  %1 = tensor.reduce add %0[k] over () reduce (k: 4) : tensor<4xf32> -> tensor<f32>
  %2 = tensor.map %0[n], %1[] over (n: 4) : tensor<4xf32>, tensor<f32> -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    tensor.yield %s : f32
  }
  %3 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %s = math.exp %a : f32
    tensor.yield %s : f32
  }
  %4 = tensor.contract %3[k], %3[k] over () reduce (k: 4) : tensor<4xf32>, tensor<4xf32> -> tensor<f32>
  return %2, %4 : tensor<4xf32>, tensor<f32>
}

// A value that is read at every point of a larger space gets a buffer too: it must not be computed again and again.
// CHECK-LABEL: func.func private @broadcast(
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<4xf32>
func.func private @broadcast(%x: tensor<4xf32>) -> tensor<3x4xf32> {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    tensor.yield %s : f32
  }
  %1 = tensor.map %0[n] over (m: 3, n: 4) : tensor<4xf32> -> tensor<3x4xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %1 : tensor<3x4xf32>
}

// The square is computed inside the sum.
// CHECK-LABEL: func.func private @sum_of_squares(
// CHECK: loop.for serial "k"
// CHECK-NEXT: loop.load
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: loop.yield
func.func private @sum_of_squares(%x: tensor<2x4xf32>) -> tensor<2xf32> {
  %0 = tensor.map %x[m, k] over (m: 2, k: 4) : tensor<2x4xf32> -> tensor<2x4xf32> {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    tensor.yield %s : f32
  }
  %1 = tensor.reduce add %0[m, k] over (m: 2) reduce (k: 4) : tensor<2x4xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func private @pad_concat(
// CHECK: loop.store %{{.*}}, %[[PADDED:.*]][%{{.*}}, %{{.*}}] : memref<2x6xf32>
// CHECK: loop.store %{{.*}}, %[[PADDED]][%{{.*}}, %{{.*}} + 1] : memref<2x6xf32>
// CHECK: loop.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : memref<2x10xf32>
// CHECK: loop.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}} + 6] : memref<2x10xf32>
func.func private @pad_concat(%x: tensor<2x4xf32>) -> tensor<2x10xf32> {
  %p = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<2x4xf32> to tensor<2x6xf32>
  %c = tensor.concat dim(1) %p, %x : (tensor<2x6xf32>, tensor<2x4xf32>) -> tensor<2x10xf32>
  return %c : tensor<2x10xf32>
}

// What is returned is computed where the caller wants it, through reshapes; an argument that is returned is copied.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: memref<2x4xf32>, %[[OUT0:.*]]: memref<8xf32> {mlc.output}, %[[OUT1:.*]]: memref<2x4xf32> {mlc.output}) {
// CHECK-NEXT: %[[V:.*]] = memref.reinterpret_cast %[[OUT0]]
// CHECK-NEXT: func.call @identity(%[[X]], %[[V]])
// CHECK: loop.store %{{.*}}, %[[OUT1]]
func.func @main(%x: tensor<2x4xf32>) -> (tensor<8xf32>, tensor<2x4xf32>) {
  %0 = func.call @identity(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  return %1, %x : tensor<8xf32>, tensor<2x4xf32>
}
func.func private @identity(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = tensor.map %x[m, n] over (m: 2, n: 4) : tensor<2x4xf32> -> tensor<2x4xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %0 : tensor<2x4xf32>
}
