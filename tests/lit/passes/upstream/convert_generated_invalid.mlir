// RUN: mlc-opt %s --convert-linalg-to-tensor --split-input-file --verify-diagnostics

func.func @open(%n: index, %z: f32) -> tensor<?xf32> {
  // expected-error @+1 {{tensor.generate: found tensor<?xf32>; required: a type with known extents, write them}}
  %y = tensor.generate %n {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @tile_is_a_value(%x: tensor<8xf32>, %n: index, %e: tensor<2x?xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{tensor.pack: found tensor<2x?xf32>; required: a type with known extents, write them}}
  %0 = tensor.pack %x inner_dims_pos = [0] inner_tiles = [%n] into %e : tensor<8xf32> -> tensor<2x?xf32>
  %1 = tensor.cast %0 : tensor<2x?xf32> to tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

func.func @more_tiles(%x: tensor<8xf32>, %e: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // expected-error @+1 {{tensor.pack: found tensor<3x4xf32>, which has more tiles than tensor<8xf32>; required: padding_value}}
  %0 = tensor.pack %x inner_dims_pos = [0] inner_tiles = [4] into %e : tensor<8xf32> -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// The position counts only if it is that of the greatest element: this is that of the last positive one.
func.func @other_position(%x: tensor<5xf32>, %v: tensor<f32>, %p: tensor<i64>) -> (tensor<f32>, tensor<i64>) {
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{linalg.generic: found a body that reduces by 'arith.select'; required: one op that combines}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                         iterator_types = ["reduction"]} ins(%x : tensor<5xf32>) outs(%v, %p : tensor<f32>, tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %q: i64):
    %n = linalg.index 0 : index
    %c = arith.index_cast %n : index to i64
    %m = arith.maximumf %a, %b : f32
    %g = arith.cmpf ogt, %a, %z : f32
    %s = arith.select %g, %c, %q : i64
    linalg.yield %m, %s : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %r#0, %r#1 : tensor<f32>, tensor<i64>
}

// -----

// The position of the least element beside the greatest: neither is the extreme of the other.
func.func @other_direction(%x: tensor<5xf32>, %v: tensor<f32>, %p: tensor<i64>) -> (tensor<f32>, tensor<i64>) {
  // expected-error @+1 {{linalg.generic: found a body that reduces by 'arith.select'; required: one op that combines}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                         iterator_types = ["reduction"]} ins(%x : tensor<5xf32>) outs(%v, %p : tensor<f32>, tensor<i64>) {
  ^bb0(%a: f32, %b: f32, %q: i64):
    %n = linalg.index 0 : index
    %c = arith.index_cast %n : index to i64
    %m = arith.maximumf %a, %b : f32
    %g = arith.cmpf olt, %a, %b : f32
    %s = arith.select %g, %c, %q : i64
    linalg.yield %m, %s : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %r#0, %r#1 : tensor<f32>, tensor<i64>
}
