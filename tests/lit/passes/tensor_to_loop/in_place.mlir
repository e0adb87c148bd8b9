// RUN: mlc-opt %s --convert-tensor-to-loop | filecheck %s

// What is read at each of its points once is computed where it is read.
// CHECK-LABEL: func.func private @transposed(
// CHECK-NOT: memref.alloc
// CHECK: return
func.func private @transposed(%x: tensor<3x4xf32>) -> tensor<4x3xf32> {
  %e = tensor.map %x[m, n] over (m: 3, n: 4) : tensor<3x4xf32> -> tensor<3x4xf32> {
  ^bb0(%a: f32):
    %p = math.absf %a : f32
    tensor.yield %p : f32
  }
  %y = tensor.map %e[n, m] over (m: 4, n: 3) : tensor<3x4xf32> -> tensor<4x3xf32> {
  ^bb0(%a: f32):
    %q = arith.negf %a : f32
    tensor.yield %q : f32
  }
  return %y : tensor<4x3xf32>
}

// A diagonal is not all of it, and a row that each of several readers needs would be computed for each: they have a
// buffer.
// CHECK-LABEL: func.func private @diagonal(
// CHECK: memref.alloc() {{.*}}: memref<3x3xf32>
// CHECK: loop.load %{{.*}}[%[[M:.*]], %[[M]]]
func.func private @diagonal(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %e = tensor.map %x[m, n] over (m: 3, n: 3) : tensor<3x3xf32> -> tensor<3x3xf32> {
  ^bb0(%a: f32):
    %p = math.absf %a : f32
    tensor.yield %p : f32
  }
  %y = tensor.map %e[m, m] over (m: 3, n: 3) : tensor<3x3xf32> -> tensor<3x3xf32> {
  ^bb0(%a: f32):
    %q = arith.negf %a : f32
    tensor.yield %q : f32
  }
  return %y : tensor<3x3xf32>
}
// CHECK-LABEL: func.func private @row(
// CHECK: memref.alloc() {{.*}}: memref<4xf32>
func.func private @row(%x: tensor<4xf32>) -> tensor<3x4xf32> {
  %e = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %p = math.absf %a : f32
    tensor.yield %p : f32
  }
  %y = tensor.map %e[n] over (m: 3, n: 4) : tensor<4xf32> -> tensor<3x4xf32> {
  ^bb0(%a: f32):
    %q = arith.negf %a : f32
    tensor.yield %q : f32
  }
  return %y : tensor<3x4xf32>
}
