// RUN: mlc-opt %s --convert-linalg-to-tensor --split-input-file --verify-diagnostics

// Each iteration has a size of its own: a triangle is not in tiles.
func.func @triangle(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %x) -> (tensor<8xf32>) {
    %n = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    // expected-error @+1 {{tensor.extract_slice: found sizes that are values; required: constants}}
    %s = tensor.extract_slice %t[0] [%n] [1] : tensor<8xf32> to tensor<?xf32>
    %y = math.exp %s : tensor<?xf32>
    %w = tensor.insert_slice %y into %t[0] [%n] [1] : tensor<?xf32> into tensor<8xf32>
    scf.yield %w : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// The bound is a value.
func.func @bound(%x: tensor<8xf32>, %m: tensor<i64>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %e = tensor.extract %m[] : tensor<i64>
  %end = arith.index_cast %e : i64 to index
  %r = scf.for %i = %c0 to %end step %c4 iter_args(%t = %x) -> (tensor<8xf32>) {
    %n = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 4)>(%i)[%end]
    %s = tensor.extract_slice %t[%i] [%n] [1] : tensor<8xf32> to tensor<?xf32>
    // expected-error @+1 {{math.exp: found tensor<?xf32>; required: a type with known extents, write them}}
    %y = math.exp %s : tensor<?xf32>
    %w = tensor.insert_slice %y into %t[%i] [%n] [1] : tensor<?xf32> into tensor<8xf32>
    scf.yield %w : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
