// RUN: mlc-opt %s --print-op-generic | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt --print-op-generic | filecheck %s
// RUN: mlc-opt %s | mlc-opt --print-op-generic | filecheck %s

#map = affine_map<(d0)[s0] -> (d0 floordiv 2 + s0)>
!row = tensor<4x?xf32>

// CHECK: "func.func"() <{
// CHECK-SAME: sym_name = "f"
func.func @f(%c: i1, %t: !row) -> !row attributes {map = #map, nested = {a = [1, 2.0], "b c"}} {
  // CHECK: %{{.*}}, %{{.*}} = "test.op"(%t) {ref = @outer::@inner} : (tensor<4x?xf32>) -> (i32, index)
  %0:2 = "test.op"(%t) {ref = @outer::@inner} : (!row) -> (i32, index)
  // CHECK: "cf.cond_br"(%c, %{{.*}}) [^[[YES:.*]], ^[[NO:.*]]] <{operandSegmentSizes = array<i32: 1, 1, 0>}>
  cf.cond_br %c, ^yes(%0#1 : index), ^no
// CHECK: ^[[YES]](%i: index):
^yes(%i: index):
  return %t : !row
// CHECK: ^[[NO]]:
^no:
  // CHECK: "func.return"(%t) : (tensor<4x?xf32>) -> ()
  func.return %t : !row
}
// CHECK: map = affine_map<(d0)[s0] -> (((d0 floordiv 2) + s0))>
