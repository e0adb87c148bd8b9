// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s

// CHECK: sdy.mesh @mesh = <["x"=2]>
sdy.mesh @mesh = <["x"=2]>
// As JAX writes the mesh of random keys and of callbacks:
// CHECK-NEXT: sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}

// CHECK-LABEL: func.func @calls
func.func @calls(%x: tensor<4x4xf32>, %s: tensor<2xui64>) {
  // CHECK-NEXT: stablehlo.custom_call @solve(%x) {mhlo.backend_config = {uplo = 76 : ui8}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l]) {i=4, j=4, k=4, l=4}, custom>, api_version = 4 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = stablehlo.custom_call @solve(%x) {api_version = 4 : i32, mhlo.backend_config = {uplo = 76 : ui8}, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l]) {i=4, j=4, k=4, l=4}, custom>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: stablehlo.composite "my.op" %x {decomposition = @calls, version = 1 : i32} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.composite "my.op" %x {decomposition = @calls, version = 1 : i32} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: stablehlo.tuple %x, %s : tuple<tensor<4x4xf32>, tensor<2xui64>>
  %2 = stablehlo.tuple %x, %s : tuple<tensor<4x4xf32>, tensor<2xui64>>
  // CHECK-NEXT: stablehlo.get_tuple_element %2[1] : (tuple<tensor<4x4xf32>, tensor<2xui64>>) -> tensor<2xui64>
  %3 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<4x4xf32>, tensor<2xui64>>) -> tensor<2xui64>
  // CHECK-NEXT: stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  %state, %bits = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  // CHECK-NEXT: stablehlo.cholesky %x, lower = true : tensor<4x4xf32>
  %4 = stablehlo.cholesky %x, lower = true : tensor<4x4xf32>
  // CHECK-NEXT: stablehlo.fft %x, type = RFFT, length = [4] : (tensor<4x4xf32>) -> tensor<4x3xcomplex<f32>>
  %5 = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<4x4xf32>) -> tensor<4x3xcomplex<f32>>
  // CHECK-NEXT: stablehlo.create_token : !stablehlo.token
  %6 = stablehlo.create_token : !stablehlo.token
  // CHECK-NEXT: stablehlo.after_all %6, %6 : !stablehlo.token
  %7 = stablehlo.after_all %6, %6 : !stablehlo.token
  // CHECK-NEXT: sdy.sharding_constraint %x <@mesh, [{"x"}, {}]> : tensor<4x4xf32>
  %8 = sdy.sharding_constraint %x <@mesh, [{"x"}, {}]> : tensor<4x4xf32>
  return
}
