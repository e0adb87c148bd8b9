// RUN: mlc-opt %s --verify-diagnostics --split-input-file

#trait = [1]
func.func @no_dictionary(%m: memref<4xf32>) {
  // expected-error @+1 {{expected the trait of linalg.generic, a dictionary, got [1 : i64]}}
  linalg.generic #trait outs(%m : memref<4xf32>) {
  ^bb0(%p: f32):
    linalg.yield %p : f32
  }
  return
}

// -----

func.func @missing(%m: memref<4xf32>) {
  // expected-error @+1 {{the trait of linalg.generic needs 'iterator_types'}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>]} outs(%m : memref<4xf32>) {
  ^bb0(%p: f32):
    linalg.yield %p : f32
  }
  return
}

// -----

func.func @maps(%m: memref<4xf32>) {
  // expected-error @+1 {{'indexing_maps' of linalg.generic is a list of affine maps, got [1 : i64]}}
  linalg.generic {indexing_maps = [1], iterator_types = ["parallel"]} outs(%m : memref<4xf32>) {
  ^bb0(%p: f32):
    linalg.yield %p : f32
  }
  return
}

// -----

func.func @kinds(%m: memref<4xf32>) {
  // expected-error @+1 {{'iterator_types' of linalg.generic is a list of "parallel", "reduction", "window", got "serial"}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["serial"]} outs(%m : memref<4xf32>) {
  ^bb0(%p: f32):
    linalg.yield %p : f32
  }
  return
}
