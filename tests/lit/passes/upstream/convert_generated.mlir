// RUN: mlc-opt %s --convert-linalg-to-tensor | filecheck %s

// Positions are elements of i64, which is in the signature, too.
// CHECK-LABEL: func.func @positions(%x: tensor<3xi64>, %b: tensor<3xi8>) -> tensor<3xi64>
// CHECK: tensor.map %x[n], %b[n], %{{.*}}[n] over (n: 3)
// CHECK: arith.extui %{{.*}} : i8 to i64
// CHECK-NEXT: arith.addi %{{.*}} : i64
// CHECK-NOT: index
func.func @positions(%x: tensor<3xindex>, %b: tensor<3xi8>) -> tensor<3xindex> {
  %e = tensor.empty() : tensor<3xindex>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]} ins(%x, %b : tensor<3xindex>, tensor<3xi8>) outs(%e : tensor<3xindex>) {
  ^bb0(%a: index, %c: i8, %o: index):
    %d = arith.index_castui %c : i8 to index
    %n = linalg.index 0 : index
    %s = arith.addi %a, %d : index
    %t = arith.muli %s, %n : index
    linalg.yield %t : index
  } -> tensor<3xindex>
  return %0 : tensor<3xindex>
}

// CHECK-LABEL: @generate
// CHECK: %[[NUMBERS:.*]] = arith.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK: %[[ROW:.*]] = tensor.take %x[n] at () over (m: 3, n: 4)
// CHECK: tensor.map %[[NUMBERS]][m], %[[ROW]][m, n] over (m: 3, n: 4)
func.func @generate(%x: tensor<4xi64>) -> tensor<3x4xi64> {
  %y = tensor.generate {
  ^bb0(%i: index, %j: index):
    %a = tensor.extract %x[%j] : tensor<4xi64>
    %b = arith.index_cast %i : index to i64
    %s = arith.addi %a, %b : i64
    tensor.yield %s : i64
  } : tensor<3x4xi64>
  return %y : tensor<3x4xi64>
}

// CHECK-LABEL: @pack
// CHECK: %[[PADDED:.*]] = tensor.pad %x low[0, 0] high[1, 0]
// CHECK: tensor.map %[[PADDED]][y * 4 + n, b * 4 + x] over (b: 3, y: 2, x: 4, n: 4)
func.func @pack(%x: tensor<7x12xf32>) -> tensor<3x2x4x4xf32> {
  %e = tensor.empty() : tensor<3x2x4x4xf32>
  %z = arith.constant 1.0 : f32
  %0 = tensor.pack %x padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 4]
       into %e : tensor<7x12xf32> -> tensor<3x2x4x4xf32>
  return %0 : tensor<3x2x4x4xf32>
}

// CHECK-LABEL: @unpack
// CHECK: %[[BESIDE:.*]] = tensor.map %x[x, b, n, y] over (b: 2, y: 4, x: 3, n: 4)
// CHECK: %[[WHOLE:.*]] = tensor.collapse_shape %[[BESIDE]]
// CHECK: tensor.extract_slice %[[WHOLE]][0, 0] [7, 12] [1, 1]
func.func @unpack(%x: tensor<3x2x4x4xf32>) -> tensor<7x12xf32> {
  %e = tensor.empty() : tensor<7x12xf32>
  %0 = tensor.unpack %x outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 4] into %e
       : tensor<3x2x4x4xf32> -> tensor<7x12xf32>
  return %0 : tensor<7x12xf32>
}

// Argmax of integers, as torch-mlir writes it: the maximum, and the first position where it is.
// CHECK-LABEL: @argmax
// CHECK: tensor.reduce max %x[n, k] over (n: 3) reduce (k: 5)
// CHECK: %[[MOST:.*]] = tensor.reduce max %x[n, k]
// CHECK: %[[PLACE:.*]] = tensor.reduce min %x[n, k], %{{.*}}[k], %[[MOST]][n] over (n: 3) reduce (k: 5)
// CHECK: arith.cmpi eq
// CHECK: tensor.map %[[MOST]][n], %[[PLACE]][n]
// CHECK: arith.cmpi sgt
func.func @argmax(%x: tensor<3x5xi32>, %p: tensor<3xi64>) -> (tensor<3xi32>, tensor<3xi64>) {
  %least = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<3xi32>
  %v = linalg.fill ins(%least : i32) outs(%e : tensor<3xi32>) -> tensor<3xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x5xi32>) outs(%v, %p : tensor<3xi32>, tensor<3xi64>) {
  ^bb0(%a: i32, %b: i32, %q: i64):
    %n = linalg.index 1 : index
    %c = arith.index_cast %n : index to i64
    %m = arith.maxsi %a, %b : i32
    %g = arith.cmpi sgt, %a, %b : i32
    %s = arith.select %g, %c, %q : i64
    linalg.yield %m, %s : i32, i64
  } -> (tensor<3xi32>, tensor<3xi64>)
  return %r#0, %r#1 : tensor<3xi32>, tensor<3xi64>
}
