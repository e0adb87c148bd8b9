// RUN: mlc-opt %s --convert-linalg-to-tensor --split-input-file --verify-diagnostics

func.func @both(%x: tensor<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{linalg.exp: found memref<4xf32> beside tensors; required: tensors alone, or buffers alone}}
  linalg.exp ins(%x : tensor<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

func.func @unknown_extents(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{linalg.exp: found tensor<?xf32>; required: a type with known extents, write them}}
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// The last of the greatest numbers: the order of points counts.
func.func @no_reduction(%x: tensor<4x8xf32>, %i: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{linalg.reduce: found a body that reduces by 'arith.divf'; required: one op that combines what is there with a new element: a sum, a product, a maximum, a minimum, or the position of one of these}}
  %r = linalg.reduce { arith.divf } ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) dimensions = [1]
  return %r : tensor<4xf32>
}

// -----

func.func @reads_itself_twice(%x: tensor<4x8xf32>, %i: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{linalg.reduce: found a body that reduces by 'arith.addf'; required: one op that combines}}
  %r = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) dimensions = [1] (%a: f32, %s: f32) {
    %p = arith.mulf %a, %s : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @maybe_nan(%x: tensor<4x8xf32>, %i: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{linalg.reduce: found 'maxnumf' from an initial value that is not a known number; required: linalg.fill}}
  %r = linalg.reduce { arith.maxnumf } ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) dimensions = [1]
  return %r : tensor<4xf32>
}

// -----

func.func @diagonal(%x: tensor<4xf32>, %i: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{linalg.generic: found the subscript d0 of result 0; required: each dim at most once}}
  %r = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d, d)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%i : tensor<4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

func.func @races(%x: tensor<4x8xf32>, %i: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{linalg.generic: result 0 has no subscript d1, which is parallel; required: reduction}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>],
                       iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @size_is_a_value(%x: tensor<4x8xf32>, %i: tensor<index>) -> tensor<2x8xf32> {
  %size = tensor.extract %i[] : tensor<index>
  // expected-error @+1 {{tensor.extract_slice: found sizes that are values; required: constants}}
  %s = tensor.extract_slice %x[0, 0] [%size, 8] [1, 1] : tensor<4x8xf32> to tensor<?x8xf32>
  %r = tensor.cast %s : tensor<?x8xf32> to tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @open(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{arith.addf: found tensor<?xf32>; required: a type with known extents, write them}}
  %r = arith.addf %x, %x : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @some_points(%t: tensor<5xf32>, %ix: tensor<3xi64>, %m: tensor<3xi1>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %z = arith.constant 0.0 : f32
  %0 = linalg.map ins(%ix, %m : tensor<3xi64>, tensor<3xi1>) outs(%e : tensor<3xf32>) (%i: i64, %c: i1) {
    %r = arith.index_cast %i : i64 to index
    // expected-error @+1 {{scf.if: found tensor.extract in a region of it; required: in the body of linalg}}
    %v = scf.if %c -> (f32) {
      %w = tensor.extract %t[%r] : tensor<5xf32>
      scf.yield %w : f32
    } else {
      scf.yield %z : f32
    }
    linalg.yield %v : f32
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @subscript_from_outside(%t: tensor<5xf32>, %at: tensor<index>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %r = tensor.extract %at[] : tensor<index>
  %0 = linalg.map ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) (%a: f32) {
    // expected-error @+1 {{tensor.extract: found a subscript from outside of the body; required: one computed in it}}
    %v = tensor.extract %t[%r] : tensor<5xf32>
    linalg.yield %v : f32
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @extent_not_known(%t: tensor<?xf32>, %ix: tensor<3xi64>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %0 = linalg.map ins(%ix : tensor<3xi64>) outs(%e : tensor<3xf32>) (%i: i64) {
    %r = arith.index_cast %i : i64 to index
    // expected-error @+1 {{tensor.extract: found tensor<?xf32>; required: a type with known extents, not 0}}
    %v = tensor.extract %t[%r] : tensor<?xf32>
    linalg.yield %v : f32
  }
  return %0 : tensor<3xf32>
}
