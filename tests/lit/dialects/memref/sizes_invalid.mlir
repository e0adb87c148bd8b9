// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{memref.assume_alignment: the alignment is a power of 2, got 12 (assume_alignment_c1)}}
  memref.assume_alignment %x, 12 : memref<4xf32>
  return
}

// -----

func.func @f(%x: memref<f32>, %i: index) {
  // expected-error @+1 {{memref.dim: memref<f32> has no dims}}
  %d = memref.dim %x, %i : memref<f32>
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{memref.alloc: 0 symbols are given, the layout has 1}}
  %d = memref.alloc(%n) : memref<2x?xf32, affine_map<(d0, d1)[s0] -> (d0 + s0, d1)>>
  return
}

// -----

// expected-error @+1 {{a stride is not 0: all indices of that dim would mean the same element}}
func.func private @f(memref<4x4xf32, strided<[4, 0]>>)
