// RUN: mlc-opt %s --split-input-file --convert-tensor-to-loop --check-each | filecheck %s

// What reads the argument only to change a copy of it may do so where the argument lies. Others read the result there.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %out0: memref<4x2xf32> {mlc.output, mlc.donated = 0 : i64}
// CHECK-NEXT: func.call @put(%cache, %at, %new, %out0)
// CHECK-NEXT: func.call @twice(%out0, %out1)
// CHECK-NEXT: return
func.func private @put(%c: tensor<4x2xf32>, %at: tensor<1xi64>, %new: tensor<1x2xf32>) -> tensor<4x2xf32> {
  %y = tensor.put set %new into %c[i, n] at (i = %at[m]) over (m: 1, n: 2) : tensor<1x2xf32>, tensor<4x2xf32>, tensor<1xi64> -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
func.func private @twice(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %y = tensor.map %x[m, n], %x[m, n] over (m: 4, n: 2) : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x2xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tensor.yield %s : f32
  }
  return %y : tensor<4x2xf32>
}
func.func @main(%cache: tensor<4x2xf32>, %at: tensor<1xi64>, %new: tensor<1x2xf32>) -> (tensor<4x2xf32> {mlc.donated = 0 : i64}, tensor<4x2xf32>) {
  %y = func.call @put(%cache, %at, %new) : (tensor<4x2xf32>, tensor<1xi64>, tensor<1x2xf32>) -> tensor<4x2xf32>
  %z = func.call @twice(%y) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y, %z : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// The argument is read once more: the result is put in its place at the end.

// CHECK-LABEL: func.func @main
// CHECK: func.call @put(%cache, %at, %new, %y)
// CHECK: func.call @twice(%cache, %out1)
// CHECK: %[[E:.*]] = loop.load %y[
// CHECK-NEXT: loop.store %[[E]], %out0[
func.func private @put(%c: tensor<4x2xf32>, %at: tensor<1xi64>, %new: tensor<1x2xf32>) -> tensor<4x2xf32> {
  %y = tensor.put set %new into %c[i, n] at (i = %at[m]) over (m: 1, n: 2) : tensor<1x2xf32>, tensor<4x2xf32>, tensor<1xi64> -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
func.func private @twice(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %y = tensor.map %x[m, n], %x[m, n] over (m: 4, n: 2) : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x2xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tensor.yield %s : f32
  }
  return %y : tensor<4x2xf32>
}
func.func @main(%cache: tensor<4x2xf32>, %at: tensor<1xi64>, %new: tensor<1x2xf32>) -> (tensor<4x2xf32> {mlc.donated = 0 : i64}, tensor<4x2xf32>) {
  %y = func.call @put(%cache, %at, %new) : (tensor<4x2xf32>, tensor<1xi64>, tensor<1x2xf32>) -> tensor<4x2xf32>
  %z = func.call @twice(%cache) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y, %z : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// Each takes the other's place: both are kept before either is overwritten.

// CHECK-LABEL: func.func @swap
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: loop.load %b[
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: loop.load %a[
// CHECK: loop.load %[[A]][
// CHECK-NEXT: loop.store %{{.*}}, %out0[
// CHECK: loop.load %[[B]][
// CHECK-NEXT: loop.store %{{.*}}, %out1[
func.func @swap(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32> {mlc.donated = 0 : i64}, tensor<4xf32> {mlc.donated = 1 : i64}) {
  return %b, %a : tensor<4xf32>, tensor<4xf32>
}
