// RUN: mlc-opt %s --convert-linalg-to-tensor | filecheck %s

// A fill with what changes nothing is where a sum starts anyway.
// CHECK-LABEL: @matmul(
// CHECK-NEXT:    %[[R:.*]] = tensor.contract %x[m, k], %w[k, n] over (m: 4, n: 16) reduce (k: 8)
// CHECK-NEXT:    return %[[R]]
func.func @matmul(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%init : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// What is there before is added behind.
// CHECK-LABEL: @from_a_tensor(
// CHECK-NEXT:    %[[R:.*]] = tensor.contract %x[m, k], %w[k, n]
// CHECK-NEXT:    tensor.map %[[R]][m, n], %c[m, n] over (m: 4, n: 16)
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32, %[[C:.*]]: f32):
// CHECK-NEXT:      arith.addf %[[C]], %[[A]] : f32
func.func @from_a_tensor(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// Operands are converted first, so that a product of one type is left.
// CHECK-LABEL: @widened(
// CHECK:         tensor.map %x[m, n] over (m: 4, n: 8) : tensor<4x8xi8> -> tensor<4x8xi32>
// CHECK:           arith.extsi
// CHECK:         tensor.contract {{.*}} : tensor<4x8xi32>, tensor<8x16xi32> -> tensor<4x16xi32>
func.func @widened(%x: tensor<4x8xi8>, %w: tensor<8x16xi8>) -> tensor<4x16xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x16xi32>
  %init = linalg.fill ins(%zero : i32) outs(%e : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r = linalg.matmul ins(%x, %w : tensor<4x8xi8>, tensor<8x16xi8>) outs(%init : tensor<4x16xi32>) -> tensor<4x16xi32>
  return %r : tensor<4x16xi32>
}

// CHECK-LABEL: @convolution(
// CHECK-NEXT:    %[[R:.*]] = tensor.contract %x[b, y * 2 + k0, x * 2 + k1 * 3, k2], %w[k0, k1, k2, n]
// CHECK-SAME:      over (b: 1, y: 4, x: 2, n: 5) reduce (k0: 3, k1: 3, k2: 3)
func.func @convolution(%x: tensor<1x9x9x3xf32>, %w: tensor<3x3x3x5xf32>, %c: tensor<1x4x2x5xf32>) -> tensor<1x4x2x5xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<[1, 3]> : tensor<2xi64>}
      ins(%x, %w : tensor<1x9x9x3xf32>, tensor<3x3x3x5xf32>) outs(%c : tensor<1x4x2x5xf32>) -> tensor<1x4x2x5xf32>
  return %r : tensor<1x4x2x5xf32>
}

// The operand that says how large a window is goes.
// CHECK-LABEL: @pooling(
// CHECK-NEXT:    tensor.reduce max %x[b, y + k0, x + k1, n] over (b: 1, y: 3, x: 3, n: 2) reduce (k0: 2, k1: 2)
// CHECK-NEXT:    return
func.func @pooling(%x: tensor<1x4x4x2xf32>) -> tensor<1x3x3x2xf32> {
  %low = arith.constant 0xFF800000 : f32
  %size = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x3x3x2xf32>
  %init = linalg.fill ins(%low : f32) outs(%e : tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32>
  %r = linalg.pooling_nhwc_max ins(%x, %size : tensor<1x4x4x2xf32>, tensor<2x2xf32>) outs(%init : tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32>
  return %r : tensor<1x3x3x2xf32>
}

// Dims are those of the result, in the order of its subscripts; numbers of a dim are an operand.
// CHECK-LABEL: @generic(
// CHECK-NEXT:    %[[I:.*]] = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
// CHECK-NEXT:    tensor.map %x[n, m], %[[I]][n] over (m: 8, n: 4) : tensor<4x8xf32>, tensor<4xi64> -> tensor<8x4xf32>
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: f32, %[[N:.*]]: i64):
// CHECK-NEXT:      %[[F:.*]] = arith.sitofp %[[N]] : i64 to f32
// CHECK-NEXT:      arith.addf %[[A]], %[[F]] : f32
func.func @generic(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
                       iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f32
    %s = arith.addf %a, %f : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// The greatest number, of which NaN is none.
// CHECK-LABEL: @selects(
// CHECK-NEXT:    tensor.reduce maxnum %x[n, k] over (n: 4) reduce (k: 8)
func.func @selects(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%low : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1] (%a: f32, %m: f32) {
    %c = arith.cmpf ogt, %a, %m : f32
    %s = arith.select %c, %a, %m : f32
    linalg.yield %s : f32
  }
  return %r : tensor<4xf32>
}

// Ops on tensors are maps; a constant of one number moves inside.
// CHECK-LABEL: @arith(
// CHECK-NEXT:    tensor.map %x[m, n] over (m: 4, n: 8) : tensor<4x8xf32> -> tensor<4x8xi1>
// CHECK:           arith.constant 2.000000e+00 : f32
// CHECK-NEXT:      arith.cmpf olt
func.func @arith(%x: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %two = arith.constant dense<2.0> : tensor<4x8xf32>
  %r = arith.cmpf olt, %x, %two : tensor<4x8xf32>
  return %r : tensor<4x8xi1>
}

// CHECK-LABEL: @slices(
// CHECK-NEXT:    %[[ROW:.*]] = tensor.map %x[1, n * 2 + 1] over (n: 3)
// CHECK:         %[[FRONT:.*]] = tensor.extract_slice %x[2, 0] [1, 2] [1, 1]
// CHECK-NEXT:    %[[BACK:.*]] = tensor.extract_slice %x[2, 5] [1, 3] [1, 1]
// CHECK-NEXT:    %[[MID:.*]] = tensor.concat dim(1) %[[FRONT]], {{.*}}, %[[BACK]]
// CHECK-NEXT:    %[[ABOVE:.*]] = tensor.extract_slice %x[0, 0] [2, 8] [1, 1]
// CHECK-NEXT:    %[[BELOW:.*]] = tensor.extract_slice %x[3, 0] [1, 8] [1, 1]
// CHECK-NEXT:    tensor.concat dim(0) %[[ABOVE]], %[[MID]], %[[BELOW]]
func.func @slices(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %row = tensor.extract_slice %x[1, 1] [1, 3] [1, 2] : tensor<4x8xf32> to tensor<3xf32>
  %r = tensor.insert_slice %row into %x[2, 2] [1, 3] [1, 1] : tensor<3xf32> into tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// What stands at the tensor level stays, unused constants and scalar ops included.
// CHECK-LABEL: @stays(
// CHECK-NEXT:    arith.constant 7 : i32
// CHECK-NEXT:    %[[A:.*]] = tensor.extract_slice %x[0, 0] [2, 8] [1, 1]
// CHECK-NEXT:    tensor.map %[[A]][m, n]
func.func @stays(%x: tensor<4x8xf32>) -> tensor<2x8xf32> {
  %unused = arith.constant 7 : i32
  %a = tensor.extract_slice %x[0, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  %r = tensor.map %a[m, n] over (m: 2, n: 8) : tensor<2x8xf32> -> tensor<2x8xf32> {
  ^bb0(%p: f32):
    %e = math.exp %p : f32
    tensor.yield %e : f32
  }
  return %r : tensor<2x8xf32>
}

// Elements at places that are data, dims or computed: `tensor.take` reads them at all points.
// CHECK-LABEL: @rows_of_a_table(
// CHECK-NEXT:    %[[ROWS:.*]] = tensor.take %t[at0, n] at (at0 = %ix[m]) over (m: 3, n: 4)
// CHECK-NEXT:    %[[NUMBERS:.*]] = arith.constant dense<[0, 1, 2, 3]>
// CHECK-NEXT:    %[[BACK:.*]] = tensor.map %[[NUMBERS]][n] over (m: 3, n: 4)
// CHECK:         %[[TURNED:.*]] = tensor.take %t[at0, at1] at (at0 = %ix[m], at1 = %[[BACK]][m, n]) over (m: 3, n: 4)
// CHECK-NEXT:    tensor.map %[[ROWS]][m, n], %[[TURNED]][m, n] over (m: 3, n: 4)
func.func @rows_of_a_table(%t: tensor<5x4xf32>, %ix: tensor<3xi64>) -> tensor<3x4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]} ins(%ix : tensor<3xi64>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%i: i64, %o: f32):
    %row = arith.index_cast %i : i64 to index
    %column = linalg.index 1 : index
    %last = arith.constant 3 : index
    %back = arith.subi %last, %column : index
    %a = tensor.extract %t[%row, %column] : tensor<5x4xf32>
    %b = tensor.extract %t[%row, %back] : tensor<5x4xf32>
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// Lookups of embeddings are nothing more than that.
// CHECK-LABEL: @rows_alone(
// CHECK-NEXT:    %[[ROWS:.*]] = tensor.take %t[at0, n] at (at0 = %ix[m]) over (m: 3, n: 4)
// CHECK-NEXT:    func.return %[[ROWS]]
func.func @rows_alone(%t: tensor<5x4xf32>, %ix: tensor<3xi64>) -> tensor<3x4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]} ins(%ix : tensor<3xi64>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%i: i64, %o: f32):
    %row = arith.index_cast %i : i64 to index
    %column = linalg.index 1 : index
    %a = tensor.extract %t[%row, %column] : tensor<5x4xf32>
    linalg.yield %a : f32
  } -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}
