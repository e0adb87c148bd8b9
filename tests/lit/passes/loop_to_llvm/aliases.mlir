// RUN: mlc-opt %s --convert-loop-to-llvm | filecheck %s

// One buffer twice is fine if it is only read, and so are parts of one buffer that have no byte in common.
// CHECK-LABEL: llvm.func @mlc_main(
// CHECK: llvm.call @add(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK: llvm.call @add(%{{.*}}, %{{.*}}, %{{.*}})
func.func @main(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}, %w: memref<64xi8> {mlc.workspace}) {
  %first = arith.constant 0 : index
  %second = arith.constant 16 : index
  %a = memref.view %w[%first][] : memref<64xi8> to memref<4xf32>
  %b = memref.view %w[%second][] : memref<64xi8> to memref<4xf32>
  func.call @add(%x, %x, %a) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  func.call @add(%a, %x, %b) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  func.call @add(%b, %a, %y) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  return
}

func.func private @add(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32> {mlc.output}) {
  %0 = loop.load %a[0] : memref<4xf32>, vector<4xf32>
  %1 = loop.load %b[0] : memref<4xf32>, vector<4xf32>
  %2 = arith.addf %0, %1 : vector<4xf32>
  loop.store %2, %c[0] : memref<4xf32>, vector<4xf32>
  return
}

// The half that is written may lie in front of the one that is read.
// CHECK-LABEL: llvm.func {{.*}}@halves(
// CHECK: llvm.call @add(%{{.*}}, %{{.*}}, %{{.*}})
func.func private @halves(%x: memref<4xf32>, %w: memref<32xi8> {mlc.workspace}) {
  %first = arith.constant 0 : index
  %second = arith.constant 16 : index
  %a = memref.view %w[%first][] : memref<32xi8> to memref<4xf32>
  %b = memref.view %w[%second][] : memref<32xi8> to memref<4xf32>
  func.call @add(%b, %x, %a) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  return
}

// So may spans of one buffer. Each is an address: that of the buffer, so many elements on.
// CHECK-LABEL: llvm.func {{.*}}@spans(
// CHECK-NEXT: %[[FOUR:.*]] = llvm.mlir.constant(4) : i64
// CHECK-NEXT: %[[A:.*]] = llvm.getelementptr inbounds %y{{.*}}[%[[FOUR]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: llvm.call @add(%{{.*}}, %{{.*}}, %[[A]])
func.func private @spans(%x: memref<4xf32>, %y: memref<3x4xf32> {mlc.output}) {
  %a = loop.span %y from 4 : memref<3x4xf32> -> memref<4xf32>
  %b = loop.span %y from 8 : memref<3x4xf32> -> memref<4xf32>
  func.call @add(%b, %x, %a) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  return
}

// What is read through a span is not written.
// CHECK-LABEL: llvm.func {{.*}}@twice(
// CHECK: llvm.call @add_behind(%x{{.*}}, %x{{.*}}, %y{{.*}})
func.func private @add_behind(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<4xf32> {mlc.output}) {
  %s = loop.span %a from 4 : memref<8xf32> -> memref<4xf32>
  %0 = loop.load %s[0] : memref<4xf32>, vector<4xf32>
  %1 = loop.load %b[0] : memref<8xf32>, vector<4xf32>
  %2 = arith.addf %0, %1 : vector<4xf32>
  loop.store %2, %c[0] : memref<4xf32>, vector<4xf32>
  return
}
func.func private @twice(%x: memref<8xf32>, %y: memref<4xf32> {mlc.output}) {
  func.call @add_behind(%x, %x, %y) : (memref<8xf32>, memref<8xf32>, memref<4xf32>) -> ()
  return
}
