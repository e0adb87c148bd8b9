// RUN: mlc-opt %s --convert-linalg-to-tensor --split-input-file --verify-diagnostics

// A tile in each iteration that is smaller than the last one.
func.func @sizes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %y = scf.for %i = %c0 to %c8 step %c1 iter_args(%c = %x) -> (tensor<8xf32>) {
    %n = affine.min affine_map<(d0) -> (100, -d0 + 8)>(%i)
    // expected-error @+1 {{tensor.extract_slice: found tensor<?xf32>; required: a type with known extents, write them}}
    %s = tensor.extract_slice %c[%i] [%n] [1] : tensor<8xf32> to tensor<?xf32>
    %u = tensor.insert_slice %s into %c[%i] [%n] [1] : tensor<?xf32> into tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

func.func @step(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{'scf.for' has the step 0; required: a positive number}}
  %y = scf.for %i = %c0 to %c8 step %c0 iter_args(%c = %x) -> (tensor<8xf32>) {
    scf.yield %c : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

func.func @blocks(%x: tensor<8xf32>, %c: tensor<i1>) -> tensor<8xf32> {
  %p = tensor.extract %c[] : tensor<i1>
  // expected-error @+1 {{scf.execute_region: found 2 blocks; required: one, with scf.if for branches}}
  %y = scf.execute_region -> tensor<8xf32> {
    %z = arith.addf %x, %x : tensor<8xf32>
    cf.br ^bb1(%z : tensor<8xf32>)
  ^bb1(%w: tensor<8xf32>):
    scf.yield %w : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

func.func private @g(f32) -> f32

func.func @called(%x: tensor<8xf32>) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %z) -> (f32) {
    %a = tensor.extract %x[%i] : tensor<8xf32>
    // expected-error @+1 {{func.call: found scalars in a loop or branch on tensors; required: arith, math, linalg, tensor}}
    %b = func.call @g(%a) : (f32) -> f32
    scf.yield %b : f32
  }
  %r = tensor.from_elements %s : tensor<1xf32>
  return %r : tensor<1xf32>
}

// -----

func.func @outside(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<f32> {
  %c9 = arith.constant 9 : index
  // expected-error @+1 {{tensor.extract: found 9; required: an element of tensor<8xf32>}}
  %a = tensor.extract %x[%c9] : tensor<8xf32>
  %r = tensor.from_elements %a : tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @buffers(%x: tensor<4xf32>, %m: memref<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{scf.for: found buffers beside tensors; required: tensors alone, or buffers alone}}
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %v = memref.load %m[%i] : memref<4xf32>
    %b = tensor.insert %v into %a[%i] : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
