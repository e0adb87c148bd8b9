// RUN: mlc-opt %s --wrap-scalars | filecheck %s

// CHECK-LABEL: func.func @tensors(%a: tensor<f32>, %x: tensor<8xf32>, %n: tensor<i64>) -> (tensor<8xf32>, tensor<f32>, tensor<i64>)
// CHECK-NEXT: %[[A:.*]] = tensor.extract %a[] : tensor<f32>
// CHECK-NEXT: %[[STORED:.*]] = tensor.extract %n[] : tensor<i64>
// CHECK-NEXT: %[[N:.*]] = arith.index_cast %[[STORED]] : i64 to index
// CHECK: tensor.extract %x[%[[N]]] : tensor<8xf32>
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: %[[OUT:.*]] = tensor.from_elements %[[SUM]] : tensor<f32>
// CHECK-NEXT: %[[CAST:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK-NEXT: %[[PLACE:.*]] = tensor.from_elements %[[CAST]] : tensor<i64>
// CHECK-NEXT: func.return %x, %[[OUT]], %[[PLACE]] : tensor<8xf32>, tensor<f32>, tensor<i64>
func.func @tensors(%a: f32, %x: tensor<8xf32>, %n: index) -> (tensor<8xf32>, f32, index) {
  %e = tensor.extract %x[%n] : tensor<8xf32>
  %s = arith.addf %e, %a : f32
  return %x, %s, %n : tensor<8xf32>, f32, index
}

// Results are outputs, and what is said of arguments and results stays with them.
// CHECK-LABEL: func.func @buffers(%a: memref<f32> {mlc.name = "scale"}, %x: memref<8xf32>, %y: memref<8xf32> {mlc.output}, %v: memref<f32> {mlc.output, mlc.name = "last"}) {
// CHECK-NEXT: %[[A:.*]] = loop.load %a[] : memref<f32>
// CHECK: arith.mulf %{{.*}}, %[[A]] : f32
// CHECK: loop.store %[[LAST:.*]], %v[] : memref<f32>
// CHECK-NEXT: func.return
func.func @buffers(%a: f32 {mlc.name = "scale"}, %x: memref<8xf32>, %y: memref<8xf32> {mlc.output})
    -> (f32 {mlc.name = "last"}) {
  %c3 = arith.constant 3 : index
  %u = memref.load %x[%c3] : memref<8xf32>
  %v = arith.mulf %u, %a : f32
  memref.store %v, %y[%c3] : memref<8xf32>
  return %v : f32
}

// Buffers inside decide where no argument does.
// CHECK-LABEL: func.func @inside(%a: memref<i32>, %b: memref<i32> {mlc.output})
func.func @inside(%a: i32) -> i32 {
  %m = memref.alloc() : memref<1xi32>
  %c0 = arith.constant 0 : index
  memref.store %a, %m[%c0] : memref<1xi32>
  %b = memref.load %m[%c0] : memref<1xi32>
  return %b : i32
}

// Kernels, functions that the module calls, and declarations stay.
// CHECK-LABEL: func.func private @kernel(%a: f32) -> f32
func.func private @kernel(%a: f32) -> f32 {
  return %a : f32
}

// CHECK-LABEL: func.func @called(%a: f32) -> f32
func.func @called(%a: f32) -> f32 {
  return %a : f32
}

// CHECK-LABEL: func.func @caller(%a: tensor<f32>) -> tensor<f32>
// CHECK: func.call @called(%{{.*}}) : (f32) -> f32
func.func @caller(%a: f32) -> f32 {
  %b = func.call @called(%a) : (f32) -> f32
  return %b : f32
}

// CHECK: func.func @declared(f32) -> f32
func.func @declared(f32) -> f32

// So does what is neither of the tensor nor of the loop level, and what has no scalars.
// CHECK-LABEL: func.func @mixed(%a: f32, %x: tensor<8xf32>, %y: memref<8xf32> {mlc.output})
func.func @mixed(%a: f32, %x: tensor<8xf32>, %y: memref<8xf32> {mlc.output}) {
  return
}

// CHECK-LABEL: func.func @none(%x: tensor<f32>) -> tensor<f32>
// CHECK-NEXT: func.return %x : tensor<f32>
func.func @none(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
