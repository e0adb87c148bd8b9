// RUN: mlc-opt %s --fold-moves --check-each | filecheck %s
// RUN: mlc-opt %s --fold-moves --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// Heads are read out of the matrix that holds them side by side.
// CHECK-LABEL: func.func private @heads(
// CHECK-NEXT: %[[Y:.*]] = tensor.contract %q[m, b * 8 + k], %w[b, k, n] over (b: 3, m: 4, n: 5) reduce (k: 8)
// CHECK-NEXT: return %[[Y]]
func.func private @heads(%q: tensor<4x24xf32>, %w: tensor<3x8x5xf32>) -> tensor<3x4x5xf32> {
  %flat = tensor.collapse_shape %q [[0, 1]] : tensor<4x24xf32> into tensor<96xf32>
  %0 = tensor.expand_shape %flat [[0, 1, 2]] output_shape [4, 3, 8] : tensor<96xf32> into tensor<4x3x8xf32>
  %1 = tensor.map %0[m, b, n] over (b: 3, m: 4, n: 8) : tensor<4x3x8xf32> -> tensor<3x4x8xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  %2 = tensor.contract %1[b, m, k], %w[b, k, n] over (b: 3, m: 4, n: 5) reduce (k: 8) : tensor<3x4x8xf32>, tensor<3x8x5xf32> -> tensor<3x4x5xf32>
  return %2 : tensor<3x4x5xf32>
}

// Slices and broadcasts; a move that is read twice is gone from both.
// CHECK-LABEL: func.func private @slice(
// CHECK-NEXT: tensor.map %x[n * 2 + 1], %x[0] over (n: 3)
// CHECK-NOT: tensor.map
func.func private @slice(%x: tensor<8xf32>) -> tensor<3xf32> {
  %0 = tensor.map %x[n * 2 + 1] over (n: 3) : tensor<8xf32> -> tensor<3xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  %1 = tensor.map %x[0] over (n: 3) : tensor<8xf32> -> tensor<3xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  %2 = tensor.map %0[n], %1[n] over (n: 3) : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tensor.yield %s : f32
  }
  return %2 : tensor<3xf32>
}

// Two dims of the operand become one that is read in blocks again.
// CHECK-LABEL: func.func private @joined(
// CHECK-NEXT: tensor.map %x[m, n] over (m: 4, n: 6)
func.func private @joined(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %1 = tensor.map %0[m * 6 + n] over (m: 4, n: 6) : tensor<24xf32> -> tensor<4x6xf32> {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    tensor.yield %s : f32
  }
  return %1 : tensor<4x6xf32>
}

// A dim that runs across the two would have to be divided.
// CHECK-LABEL: func.func private @divided(
// CHECK-NEXT: %[[F:.*]] = tensor.collapse_shape
// CHECK-NEXT: tensor.map %[[F]][n] over (n: 24)
// REMARK: tensor.collapse_shape before operand 0 stays: the subscripts would not be affine
func.func private @divided(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %1 = tensor.map %0[n] over (n: 24) : tensor<24xf32> -> tensor<24xf32> {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    tensor.yield %s : f32
  }
  return %1 : tensor<24xf32>
}

// What computes is no move, and what is returned stays.
// CHECK-LABEL: func.func private @computed(
// CHECK-NEXT: %[[S:.*]] = tensor.map %x[n, m] over (m: 2, n: 4)
// CHECK: %[[T:.*]] = tensor.map %[[S]][n, m] over (m: 4, n: 2)
// CHECK: return %[[T]]
func.func private @computed(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = tensor.map %x[n, m] over (m: 2, n: 4) : tensor<4x2xf32> -> tensor<2x4xf32> {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    tensor.yield %s : f32
  }
  %1 = tensor.map %0[n, m] over (m: 4, n: 2) : tensor<2x4xf32> -> tensor<4x2xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %1 : tensor<4x2xf32>
}

// A reduction over windows widens what it reads itself.
// CHECK-LABEL: @pool(
// CHECK-NEXT: %[[Y:.*]] = tensor.reduce max %x[y * 2 + ky, n] over (y: 4, n: 8) reduce (ky: 3) : tensor<9x8xbf16> -> tensor<4x8xf32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: bf16):
// CHECK-NEXT:   %[[W:.*]] = arith.extf %[[A]] : bf16 to f32
// CHECK-NEXT:   tensor.yield %[[W]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: return %[[Y]]
func.func @pool(%x: tensor<9x8xbf16>) -> tensor<4x8xf32> {
  %0 = tensor.map %x[y, n] over (y: 9, n: 8) : tensor<9x8xbf16> -> tensor<9x8xf32> {
  ^bb0(%a: bf16):
    %w = arith.extf %a : bf16 to f32
    tensor.yield %w : f32
  }
  %1 = tensor.reduce max %0[y * 2 + ky, n] over (y: 4, n: 8) reduce (ky: 3) : tensor<9x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// It does not where each element is read once, where others read what is wider, where more is computed, or of f16.
// CHECK-LABEL: @rows(
// CHECK: tensor.reduce max %{{.*}}[y, k] over (y: 9) reduce (k: 8) : tensor<9x8xf32>
// CHECK-LABEL: @others(
// CHECK: tensor.reduce max %{{.*}} : tensor<9x8xf32>
// CHECK-LABEL: @more(
// CHECK: tensor.reduce max %{{.*}} : tensor<9x8xf32>
// CHECK-LABEL: @squares(
// CHECK: tensor.reduce add %{{.*}} : tensor<9x8xf32>
// CHECK-LABEL: @f16(
// CHECK: tensor.reduce max %{{.*}} : tensor<9x8xf32>
func.func @rows(%x: tensor<9x8xbf16>) -> tensor<9xf32> {
  %0 = tensor.map %x[y, n] over (y: 9, n: 8) : tensor<9x8xbf16> -> tensor<9x8xf32> {
  ^bb0(%a: bf16):
    %w = arith.extf %a : bf16 to f32
    tensor.yield %w : f32
  }
  %1 = tensor.reduce max %0[y, k] over (y: 9) reduce (k: 8) : tensor<9x8xf32> -> tensor<9xf32>
  return %1 : tensor<9xf32>
}
func.func @others(%x: tensor<9x8xbf16>) -> (tensor<4x8xf32>, tensor<9x8xf32>) {
  %0 = tensor.map %x[y, n] over (y: 9, n: 8) : tensor<9x8xbf16> -> tensor<9x8xf32> {
  ^bb0(%a: bf16):
    %w = arith.extf %a : bf16 to f32
    tensor.yield %w : f32
  }
  %1 = tensor.reduce max %0[y * 2 + ky, n] over (y: 4, n: 8) reduce (ky: 3) : tensor<9x8xf32> -> tensor<4x8xf32>
  return %1, %0 : tensor<4x8xf32>, tensor<9x8xf32>
}
func.func @more(%x: tensor<9x8xbf16>) -> tensor<4x8xf32> {
  %0 = tensor.map %x[y, n] over (y: 9, n: 8) : tensor<9x8xbf16> -> tensor<9x8xf32> {
  ^bb0(%a: bf16):
    %w = arith.extf %a : bf16 to f32
    %e = math.exp %w : f32
    tensor.yield %e : f32
  }
  %1 = tensor.reduce max %0[y * 2 + ky, n] over (y: 4, n: 8) reduce (ky: 3) : tensor<9x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
func.func @squares(%x: tensor<9x8xbf16>) -> tensor<4x8xf32> {
  %0 = tensor.map %x[y, n] over (y: 9, n: 8) : tensor<9x8xbf16> -> tensor<9x8xf32> {
  ^bb0(%a: bf16):
    %w = arith.extf %a : bf16 to f32
    tensor.yield %w : f32
  }
  %1 = tensor.reduce add %0[y * 2 + ky, n] over (y: 4, n: 8) reduce (ky: 3) : tensor<9x8xf32> -> tensor<4x8xf32> {
  ^bb0(%b: f32):
    %s = arith.mulf %b, %b : f32
    tensor.yield %s : f32
  }
  return %1 : tensor<4x8xf32>
}
func.func @f16(%x: tensor<9x8xf16>) -> tensor<4x8xf32> {
  %0 = tensor.map %x[y, n] over (y: 9, n: 8) : tensor<9x8xf16> -> tensor<9x8xf32> {
  ^bb0(%a: f16):
    %w = arith.extf %a : f16 to f32
    tensor.yield %w : f32
  }
  %1 = tensor.reduce max %0[y * 2 + ky, n] over (y: 4, n: 8) reduce (ky: 3) : tensor<9x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// A product of matrices widens its factors itself, unless somebody else reads what was widened, or more was done.
// CHECK-LABEL: func.func @short_factors(
// CHECK-NEXT:    %0 = tensor.contract %q[b, m, k], %x[b, n, k] over (b: 2, m: 3, n: 16) reduce (k: 8) : tensor<2x3x8xf32>, tensor<2x16x8xf16> -> tensor<2x3x16xf32>
// CHECK-NEXT:    return %0
func.func @short_factors(%q: tensor<2x3x8xf32>, %x: tensor<2x16x8xf16>) -> tensor<2x3x16xf32> {
  %0 = tensor.map %x[b, n, k] over (b: 2, k: 8, n: 16) : tensor<2x16x8xf16> -> tensor<2x8x16xf32> {
  ^bb0(%a: f16):
    %w = arith.extf %a : f16 to f32
    tensor.yield %w : f32
  }
  %1 = tensor.contract %q[b, m, k], %0[b, k, n] over (b: 2, m: 3, n: 16) reduce (k: 8) : tensor<2x3x8xf32>, tensor<2x8x16xf32> -> tensor<2x3x16xf32>
  return %1 : tensor<2x3x16xf32>
}
// CHECK-LABEL: func.func @one_head(
// CHECK-NEXT:    %0 = tensor.contract %q[b, m, k], %x[b, k, n] over (b: 1, m: 3, n: 16) reduce (k: 8) : tensor<1x3x8xf32>, tensor<1x8x16xf16> -> tensor<1x3x16xf32>
// CHECK-NEXT:    return %0
func.func @one_head(%q: tensor<1x3x8xf32>, %x: tensor<1x8x16xf16>) -> tensor<1x3x16xf32> {
  %0 = tensor.map %x[b, k, n] over (b: 1, k: 8, n: 16) : tensor<1x8x16xf16> -> tensor<1x8x16xf32> {
  ^bb0(%a: f16):
    %w = arith.extf %a : f16 to f32
    tensor.yield %w : f32
  }
  %1 = tensor.contract %q[b, m, k], %0[b, k, n] over (b: 1, m: 3, n: 16) reduce (k: 8) : tensor<1x3x8xf32>, tensor<1x8x16xf32> -> tensor<1x3x16xf32>
  return %1 : tensor<1x3x16xf32>
}
// CHECK-LABEL: func.func @read_twice(
// CHECK:         tensor.map
// CHECK:         tensor.contract %q[m, k], %0[k, n]
func.func @read_twice(%q: tensor<3x8xf32>, %x: tensor<8x16xf16>) -> (tensor<3x16xf32>, tensor<8x16xf32>) {
  %0 = tensor.map %x[k, n] over (k: 8, n: 16) : tensor<8x16xf16> -> tensor<8x16xf32> {
  ^bb0(%a: f16):
    %w = arith.extf %a : f16 to f32
    tensor.yield %w : f32
  }
  %1 = tensor.contract %q[m, k], %0[k, n] over (m: 3, n: 16) reduce (k: 8) : tensor<3x8xf32>, tensor<8x16xf32> -> tensor<3x16xf32>
  return %1, %0 : tensor<3x16xf32>, tensor<8x16xf32>
}
// CHECK-LABEL: func.func @window_of_short(
// CHECK:         tensor.map
// CHECK:         tensor.contract %0[y + k, c]
func.func @window_of_short(%x: tensor<9x8xbf16>, %f: tensor<3x8xf32>) -> tensor<7x8xf32> {
  %0 = tensor.map %x[y, c] over (y: 9, c: 8) : tensor<9x8xbf16> -> tensor<9x8xf32> {
  ^bb0(%a: bf16):
    %w = arith.extf %a : bf16 to f32
    tensor.yield %w : f32
  }
  %1 = tensor.contract %0[y + k, c], %f[k, c] over (y: 7, c: 8) reduce (k: 3) : tensor<9x8xf32>, tensor<3x8xf32> -> tensor<7x8xf32>
  return %1 : tensor<7x8xf32>
}
