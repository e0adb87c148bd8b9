// The trait may be an alias, results stand in parentheses or not, and other attributes stay wherever they stand.
// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-debuginfo | mlc-opt | filecheck %s

#map = affine_map<(d0) -> (d0)>
#copy = {indexing_maps = [#map, #map], iterator_types = ["parallel"], library_call = "copy", doc = "Copies."}
#two = {indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>]}

// CHECK-LABEL: @tensors
func.func @tensors(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], doc = "Copies.", library_call = "copy"} ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) {
  // CHECK: } -> tensor<4xf32>
  %0 = linalg.generic #copy ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  } -> (tensor<4xf32>)
  // CHECK: iterator_types = ["parallel"]} ins({{.*}} : tensor<4xf32>) outs(%a, %a : tensor<4xf32>, tensor<4xf32>) attrs = {my.other} {
  // CHECK: } -> (tensor<4xf32>, tensor<4xf32>)
  %1:2 = linalg.generic #two ins(%0 : tensor<4xf32>) outs(%a, %a : tensor<4xf32>, tensor<4xf32>) attrs = {my.other} {
  ^bb0(%p: f32, %q: f32, %r: f32):
    linalg.yield %p, %q : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %1#1 : tensor<4xf32>
}

// CHECK-LABEL: @buffers
func.func @buffers(%m: memref<4xf32>) {
  // CHECK: ins(%m : memref<4xf32>) outs(%m : memref<4xf32>) attrs = {my.trait = 1 : i64} {
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"], my.trait = 1}
      ins(%m : memref<4xf32>) outs(%m : memref<4xf32>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  }
  // CHECK: iterator_types = ["parallel"]} outs(%m : memref<4xf32>) {
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%m : memref<4xf32>) {
  ^bb0(%p: f32):
    linalg.yield %p : f32
  }
  return
}
