// RUN: mlc-opt %s --convert-tensor-to-loop | filecheck %s

// Every side is as wide as it says, and lies where it has to: of each axis the front, then the end, between the sides of
// the axes before it.
// CHECK-LABEL: func.func private @four_sides(
// CHECK: memref<8x8xf32> {mlc.output}
// CHECK: loop.for parallel "d0" %[[I:.*]] = 0 to 1 {
// CHECK-NEXT: loop.for parallel "d1" %[[J:.*]] = 0 to 8 {
// CHECK-NEXT: loop.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK: loop.for parallel "d0" %[[I:.*]] = 0 to 3 {
// CHECK-NEXT: loop.for parallel "d1" %[[J:.*]] = 0 to 8 {
// CHECK-NEXT: loop.store %{{.*}}, %{{.*}}[%[[I]] + 5, %[[J]]]
// CHECK: loop.for parallel "d0" %[[I:.*]] = 0 to 4 {
// CHECK-NEXT: loop.for parallel "d1" %[[J:.*]] = 0 to 2 {
// CHECK-NEXT: loop.store %{{.*}}, %{{.*}}[%[[I]] + 1, %[[J]]]
// CHECK: loop.for parallel "d0" %[[I:.*]] = 0 to 4 {
// CHECK-NEXT: loop.for parallel "d1" %[[J:.*]] = 0 to 1 {
// CHECK-NEXT: loop.store %{{.*}}, %{{.*}}[%[[I]] + 1, %[[J]] + 7]
func.func private @four_sides(%x: tensor<4x5xf32>) -> tensor<8x8xf32> {
  %half = arith.constant 0.5 : f32
  %0 = tensor.pad %x low[1, 2] high[3, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %half : f32
  } : tensor<4x5xf32> to tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
