// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @tile_map_c1(%x: tensor<6xf32>) {
  // expected-error @+1 {{tensor.tile_map: 1 dims, 2 sizes, 2 operands and 2 maps do not go together (tile_map_c1)}}
  %y = "tensor.tile_map"(%x, %x) <{dims = ["m"], sizes = array<i64: 3, 4>, maps = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>], places = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>]}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    %d = arith.subf %a, %b : f32
    tensor.yield %s, %d : f32, f32
  }) : (tensor<6xf32>, tensor<6xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @tile_map_c2(%x: tensor<6xf32>) {
  // expected-error @+1 {{tensor.tile_map: a subscript runs from 2 to 6, outside of tensor<6xf32> (tile_map_c2)}}
  %y = "tensor.tile_map"(%x, %x) <{dims = ["m"], sizes = array<i64: 3>, maps = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 2)>], places = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>]}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    %d = arith.subf %a, %b : f32
    tensor.yield %s, %d : f32, f32
  }) : (tensor<6xf32>, tensor<6xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @tile_map_c3(%x: tensor<6xf32>) {
  // expected-error @+1 {{tensor.tile_map: the body has to take an element of each operand and to yield 2 of type f32 (tile_map_c3)}}
  %y = "tensor.tile_map"(%x, %x) <{dims = ["m"], sizes = array<i64: 3>, maps = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>], places = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>]}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    %d = arith.subf %a, %b : f32
    tensor.yield %s : f32
  }) : (tensor<6xf32>, tensor<6xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @tile_map_c4(%x: tensor<6xf32>) {
  // expected-error @+1 {{tensor.tile_map: the subscript ((d0 * 2) + 2) of a place is not a dim times a factor plus less than it (tile_map_c4)}}
  %y = "tensor.tile_map"(%x, %x) <{dims = ["m"], sizes = array<i64: 3>, maps = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>], places = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 2)>]}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    %d = arith.subf %a, %b : f32
    tensor.yield %s, %d : f32, f32
  }) : (tensor<6xf32>, tensor<6xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @tile_map_c5_twice(%x: tensor<6xf32>) {
  // expected-error @+1 {{tensor.tile_map: an element of the result may have two places (tile_map_c5)}}
  %y = "tensor.tile_map"(%x, %x) <{dims = ["m"], sizes = array<i64: 3>, maps = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>], places = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2)>]}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    %d = arith.subf %a, %b : f32
    tensor.yield %s, %d : f32, f32
  }) : (tensor<6xf32>, tensor<6xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @tile_map_c5_missing(%x: tensor<6xf32>) {
  // expected-error @+1 {{tensor.tile_map: 6 places for the 7 elements (tile_map_c5)}}
  %y = "tensor.tile_map"(%x, %x) <{dims = ["m"], sizes = array<i64: 3>, maps = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>], places = [affine_map<(m) -> (m * 2)>, affine_map<(m) -> (m * 2 + 1)>]}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    %d = arith.subf %a, %b : f32
    tensor.yield %s, %d : f32, f32
  }) : (tensor<6xf32>, tensor<6xf32>) -> tensor<7xf32>
  return
}
