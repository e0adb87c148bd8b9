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
