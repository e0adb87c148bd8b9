// RUN: mlc-opt --convert-tensor-to-loop --check-each %s | filecheck %s

func.func private @add(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.map %a[n], %b[n] over (n: 4) : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%x: f32, %y: f32):
    %1 = arith.addf %x, %y : f32
    tensor.yield %1 : f32
  }
  return %0 : tensor<4xf32>
}

// Two buffers take turns; after an odd number of steps the first of them has the result.
// CHECK-LABEL: @odd
// CHECK-SAME:  (%s0: memref<4xf32>, %xs: memref<3x4xf32>, %out: memref<4xf32> {mlc.output})
func.func @odd(%s0: tensor<4xf32>, %xs: tensor<3x4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %0 = memref.alloc()
  // CHECK-NEXT: {{.*}} = loop.for serial "step" %step = 0 to 3 iter_args(%s = %s0, %[[THIS:.*]] = %out, %[[OTHER:.*]] = %0) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>) {
  // CHECK-NEXT:   %x = loop.row %xs[%step] : memref<3x4xf32> -> memref<4xf32>
  // CHECK-NEXT:   func.call @add(%s, %x, %[[THIS]])
  // CHECK-NEXT:   loop.yield %[[THIS]], %[[OTHER]], %[[THIS]]
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  %0 = tensor.scan 3 carry (%s = %s0) over (%x = %xs) : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32> {
    %1 = func.call @add(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tensor.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @even
func.func @even(%s0: tensor<4xf32>, %xs: tensor<4x4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %0 = memref.alloc()
  // CHECK-NEXT: {{.*}} = loop.for serial "step" %step = 0 to 4 iter_args(%s = %s0, %{{.*}} = %0, %{{.*}} = %out)
  // CHECK-NEXT:   %[[LAST:.*]] = arith.constant 3 : index
  // CHECK-NEXT:   %[[ROW:.*]] = arith.subi %[[LAST]], %step : index
  // CHECK-NEXT:   %x = loop.row %xs[%[[ROW]]]
  %0 = tensor.scan 4 carry (%s = %s0) over (%x = %xs backwards) : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32> {
    %1 = func.call @add(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tensor.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// What is carried and stacked is read where the step before has stacked it.
// CHECK-LABEL: @stacked
func.func @stacked(%s0: tensor<4xf32>, %xs: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK-NEXT: {{.*}} = loop.for serial "step" %step = 0 to 3 iter_args(%s = %s0) -> (memref<4xf32>) {
  // CHECK:        %[[SLOT:.*]] = loop.row %out[%{{.*}}]
  // CHECK-NEXT:   func.call @add(%s, %x, %[[SLOT]])
  // CHECK-NEXT:   loop.yield %[[SLOT]]
  // CHECK-NEXT: }
  // CHECK-NEXT: arith.constant 0 : index
  // CHECK-NEXT: loop.row %out
  // CHECK-NEXT: return
  %0:2 = tensor.scan 3 carry (%s = %s0) over (%x = %xs) stack (backwards)
      : (tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
    %1 = func.call @add(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tensor.yield %1, %1 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#1 : tensor<3x4xf32>
}

// What changes places is copied: the buffer that held it is written in the next step.
// CHECK-LABEL: @swapped
func.func @swapped(%a0: tensor<4xf32>, %b0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK:      iter_args(%a = %a0, %[[A:.*]] = %out0, %[[A1:.*]] = %{{.*}}, %b = %b0, %[[B:.*]] = %out1, %[[B1:.*]] = %{{.*}})
  // CHECK:        %[[X:.*]] = loop.load %b[%d0]
  // CHECK-NEXT:   loop.store %[[X]], %[[A]][%d0]
  // CHECK:        %[[Y:.*]] = loop.load %a[%d0_1]
  // CHECK-NEXT:   loop.store %[[Y]], %[[B]][%d0_1]
  // CHECK:        loop.yield %[[A]], %[[A1]], %[[A]], %[[B]], %[[B1]], %[[B]]
  %0:2 = tensor.scan 5 carry (%a = %a0, %b = %b0) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    tensor.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @no_steps
func.func @no_steps(%a0: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: iter_args
  // CHECK: loop.store %{{.*}}, %out
  %0 = tensor.scan 0 carry (%a = %a0) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = func.call @add(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tensor.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// A loop that neither takes nor gives anything is a loop, too.
// CHECK-LABEL: @nothing
// CHECK-NEXT: loop.for serial "step" %{{.*}} = 0 to 3 {
// CHECK-NEXT: }
func.func private @nothing() {
  tensor.scan 3 : () -> () {
    tensor.yield
  }
  return
}

// What each step changes at some places has one buffer: the initial value is copied there, and nothing in the loop.
// CHECK-LABEL: @changed
// CHECK-SAME:  %out: memref<8xf32> {mlc.output}
func.func @changed(%x: tensor<8xf32>, %is: tensor<3xi64>) -> tensor<8xf32> {
  // CHECK:      loop.store %{{.*}}, %out[%{{.*}}]
  // CHECK:      loop.for serial "step" %{{.*}} = 0 to 3 {
  // CHECK:        loop.for serial "step{{.*}}" %{{.*}} = 0 to 2 {
  // CHECK-NOT:      loop.store %{{.*}}, %{{.*}}[%d0]
  // CHECK:          loop.store %{{.*}}, %out[
  // CHECK-NOT:  iter_args
  // CHECK:      return
  %0 = tensor.scan 3 carry (%s = %x) over (%i = %is) : (tensor<8xf32>, tensor<3xi64>) -> tensor<8xf32> {
    %1 = tensor.scan 2 carry (%t = %s) using (%j = %i) : (tensor<8xf32>, tensor<i64>) -> tensor<8xf32> {
      %2 = tensor.take %t[at] at (at = %j[]) over () : tensor<8xf32>, tensor<i64> -> tensor<f32>
      %3 = tensor.map %2[] over () : tensor<f32> -> tensor<f32> {
      ^bb0(%a: f32):
        %4 = arith.addf %a, %a : f32
        tensor.yield %4 : f32
      }
      %5 = tensor.put set %3 into %t[at] at (at = %j[]) over () : tensor<f32>, tensor<8xf32>, tensor<i64> -> tensor<8xf32>
      tensor.yield %5 : tensor<8xf32>
    }
    tensor.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// A step that reads it afterwards, as it was, needs the old one.
// CHECK-LABEL: @read_afterwards
// CHECK: loop.for serial "step" %{{.*}} = 0 to 3 iter_args(
func.func @read_afterwards(%x: tensor<8xf32>, %is: tensor<3xi64>) -> (tensor<8xf32>, tensor<3xf32>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %0, %1 = tensor.scan 3 carry (%s = %x) over (%i = %is) using (%o = %one)
      : (tensor<8xf32>, tensor<3xi64>, tensor<f32>) -> (tensor<8xf32>, tensor<3xf32>) {
    %2 = tensor.put set %o into %s[at] at (at = %i[]) over () : tensor<f32>, tensor<8xf32>, tensor<i64> -> tensor<8xf32>
    %3 = tensor.take %s[at] at (at = %i[]) over () : tensor<8xf32>, tensor<i64> -> tensor<f32>
    tensor.yield %2, %3 : tensor<8xf32>, tensor<f32>
  }
  return %0, %1 : tensor<8xf32>, tensor<3xf32>
}
