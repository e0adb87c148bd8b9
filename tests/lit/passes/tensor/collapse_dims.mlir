// RUN: mlc-opt %s --collapse-dims | filecheck %s
// RUN: mlc-opt %s --collapse-dims --check-each | mlc-opt | filecheck %s

// A convolution with a 1 x 1 window is a matrix product: its pixels are rows.
// CHECK-LABEL: func.func private @pixels(
// CHECK-SAME: %x: tensor<128x3xf32>, %w: tensor<3x4xf32>, %b: tensor<4xf32>) -> tensor<128x4xf32>
// CHECK-NEXT: %[[C:.*]] = tensor.contract %x[m, k], %w[k, n] over (m: 128, n: 4) reduce (k: 3)
// CHECK-NEXT: tensor.map %[[C]][m, n], %b[n] over (m: 128, n: 4)
func.func private @pixels(%x: tensor<2x8x8x3xf32>, %w: tensor<1x1x3x4xf32>, %b: tensor<4xf32>) -> tensor<2x8x8x4xf32> {
  %0 = tensor.contract %x[b, y + ky, x + kx, k], %w[ky, kx, k, n] over (b: 2, y: 8, x: 8, n: 4) reduce (ky: 1, kx: 1, k: 3) : tensor<2x8x8x3xf32>, tensor<1x1x3x4xf32> -> tensor<2x8x8x4xf32>
  %1 = tensor.map %0[b, y, x, n], %b[n] over (b: 2, y: 8, x: 8, n: 4) : tensor<2x8x8x4xf32>, tensor<4xf32> -> tensor<2x8x8x4xf32> {
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    tensor.yield %s : f32
  }
  return %1 : tensor<2x8x8x4xf32>
}

// With a larger window only the batch of one image goes, from the padding too.
// CHECK-LABEL: func.func private @window(
// CHECK-SAME: %x: tensor<8x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<8x8x4xf32>
// CHECK-NEXT: %[[P:.*]] = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index):
// CHECK: tensor.contract %[[P]][y + ky, x + kx, k], %w[ky, kx, k, n] over (y: 8, x: 8, n: 4) reduce (ky: 3, kx: 3, k: 3)
func.func private @window(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32> {
  %0 = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    %z = arith.constant 0.0 : f32
    tensor.yield %z : f32
  } : tensor<1x8x8x3xf32> to tensor<1x10x10x3xf32>
  %1 = tensor.contract %0[b, y + ky, x + kx, k], %w[ky, kx, k, n] over (b: 1, y: 8, x: 8, n: 4) reduce (ky: 3, kx: 3, k: 3) : tensor<1x10x10x3xf32>, tensor<3x3x3x4xf32> -> tensor<1x8x8x4xf32>
  return %1 : tensor<1x8x8x4xf32>
}

// Rows of several images are rows; a row stays a row.
// CHECK-LABEL: func.func private @softmax(
// CHECK-NEXT: %[[M:.*]] = tensor.reduce max %x[m, k] over (m: 6) reduce (k: 4)
// CHECK-NEXT: tensor.map %x[m, n], %[[M]][m] over (m: 6, n: 4)
func.func private @softmax(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = tensor.reduce max %x[b, m, k] over (b: 2, m: 3) reduce (k: 4) : tensor<2x3x4xf32> -> tensor<2x3xf32>
  %1 = tensor.map %x[b, m, n], %0[b, m] over (b: 2, m: 3, n: 4) : tensor<2x3x4xf32>, tensor<2x3xf32> -> tensor<2x3x4xf32> {
  ^bb0(%a: f32, %c: f32):
    %s = arith.subf %a, %c : f32
    tensor.yield %s : f32
  }
  return %1 : tensor<2x3x4xf32>
}

// Reduced dims join too, and one axis stays where all have extent 1.
// CHECK-LABEL: func.func private @sum(
// CHECK-SAME: %x: tensor<24xf32>) -> tensor<1xf32>
// CHECK-NEXT: tensor.reduce add %x[k] over (one2: 1) reduce (k: 24)
func.func private @sum(%x: tensor<2x3x4xf32>) -> tensor<1x1x1xf32> {
  %0 = tensor.reduce add %x[k0, k1, k2] over (one0: 1, one1: 1, one2: 1) reduce (k0: 2, k1: 3, k2: 4) : tensor<2x3x4xf32> -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

// Nothing to join: the batch is read apart from the rows, the rows apart from the columns, and not all of a row.
// CHECK-LABEL: func.func private @batched(
// CHECK-NEXT: tensor.contract %x[b, m, k], %w[b, k, n] over (b: 2, m: 3, n: 5) reduce (k: 4)
func.func private @batched(%x: tensor<2x3x4xf32>, %w: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %0 = tensor.contract %x[b, m, k], %w[b, k, n] over (b: 2, m: 3, n: 5) reduce (k: 4) : tensor<2x3x4xf32>, tensor<2x4x5xf32> -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// CHECK-LABEL: func.func private @part(
// CHECK-NEXT: tensor.map %x[m, n] over (m: 2, n: 3)
func.func private @part(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %0 = tensor.map %x[m, n] over (m: 2, n: 3) : tensor<2x4xf32> -> tensor<2x3xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @transposed(
// CHECK-NEXT: tensor.map %x[n, m] over (m: 2, n: 3)
func.func private @transposed(%x: tensor<3x2xf32>) -> tensor<2x3xf32> {
  %0 = tensor.map %x[n, m] over (m: 2, n: 3) : tensor<3x2xf32> -> tensor<2x3xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %0 : tensor<2x3xf32>
}

// Concatenation sees its axes.
// CHECK-LABEL: func.func private @concat(
// CHECK-SAME: %x: tensor<1x4xf32>
func.func private @concat(%x: tensor<1x4xf32>) -> tensor<2x4xf32> {
  %0 = tensor.concat dim(0) %x, %x : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// A schedule names dims.
// CHECK-LABEL: func.func private @scheduled(
// CHECK: over (m: 2, n: 4)
func.func private @scheduled(%x: tensor<2x4xf32>) -> tensor<2x4xf32> attributes {schedule = #loop.schedule<[unroll(m)]>} {
  %0 = tensor.map %x[m, n] over (m: 2, n: 4) : tensor<2x4xf32> -> tensor<2x4xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %0 : tensor<2x4xf32>
}

// Callers reshape; a view that came from what is needed is not undone but left out.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[X:.*]] = tensor.collapse_shape %x {{\[\[}}0 : i64, 1 : i64], [2 : i64]] : tensor<2x3x4xf32> into tensor<6x4xf32>
// CHECK-NEXT: %[[Y:.*]] = func.call @softmax(%[[X]]) : (tensor<6x4xf32>) -> tensor<6x4xf32>
// CHECK-NEXT: %[[Z:.*]] = func.call @softmax(%[[Y]]) : (tensor<6x4xf32>) -> tensor<6x4xf32>
// CHECK-NEXT: %[[R:.*]] = tensor.expand_shape %[[Z]]
// CHECK-NEXT: return %[[R]]
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = func.call @softmax(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %1 = func.call @softmax(%0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// Others may call a public function.
// CHECK-LABEL: func.func @public(
// CHECK-SAME: %x: tensor<2x4xf32>
// CHECK-NEXT: tensor.map %x[m, n]
func.func @public(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = tensor.map %x[m, n] over (m: 2, n: 4) : tensor<2x4xf32> -> tensor<2x4xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %0 : tensor<2x4xf32>
}

// What an op in a nested region reads keeps its shape: that op is no part of the kernel's own block.
// CHECK-LABEL: func.func private @read_inside(
// CHECK-SAME: %x: tensor<1x2x4xf32>
// CHECK: tensor.map %x[b, m, n] over (b: 1, m: 2, n: 4)
func.func private @read_inside(%x: tensor<1x2x4xf32>, %c: i1) -> tensor<1x2x4xf32> {
  scf.if %c {
    %0 = tensor.map %x[b, m, n] over (b: 1, m: 2, n: 4) : tensor<1x2x4xf32> -> tensor<1x2x4xf32> {
    ^bb0(%a: f32):
      tensor.yield %a : f32
    }
  }
  return %x : tensor<1x2x4xf32>
}

// A kernel that something else than a call refers to keeps its signature.
// CHECK-LABEL: func.func private @named(
// CHECK-SAME: %x: tensor<1x4xf32>
func.func private @named(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tensor.map %x[m, n] over (m: 1, n: 4) : tensor<1x4xf32> -> tensor<1x4xf32> {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    tensor.yield %s : f32
  }
  return %0 : tensor<1x4xf32>
}
func.func private @table(%x: tensor<4xf32>) attributes {my.kernels = [@named]} {
  return
}

// Code in a nested module means its own function of that name.
// CHECK: func.func private @inner(%x: tensor<1x4xf32>)
// CHECK: call @inner(%x) : (tensor<1x4xf32>)
module {
  func.func private @inner(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
    return %x : tensor<1x4xf32>
  }
  func.func @calls_inner(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
    %0 = call @inner(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    return %0 : tensor<1x4xf32>
  }
}
// CHECK: func.func private @inner(
// CHECK-SAME: %x: tensor<1x4xf32>
func.func private @inner(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  return %x : tensor<1x4xf32>
}

// What is left and what is summed over are two dims, also where nothing else keeps them apart.
// CHECK-LABEL: func.func private @row_sums(
// CHECK-SAME: %x: tensor<3x4xf32>) -> tensor<3xf32>
// CHECK-NEXT: tensor.reduce add %x[m, k] over (m: 3) reduce (k: 4)
func.func private @row_sums(%x: tensor<3x4xf32>) -> tensor<3xf32> {
  %0 = tensor.reduce add %x[m, k] over (m: 3) reduce (k: 4) : tensor<3x4xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
