// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --convert-graph-to-tensor | filecheck %s --check-prefix=TENSOR
// RUN: mlc-opt %s -O3 --check-each -o /dev/null

// The table of an op has a sign, that of a kernel has none.

// CHECK-LABEL: @signs
// CHECK:         graph.lookup %x in dense<200> : tensor<256xui8> : tensor<4x8xui8> -> tensor<4x8xui8>
// CHECK:         graph.lookup %{{.*}} in dense<-3> : tensor<256xi8> : tensor<4x8xui8> -> tensor<4x8xi8>
// TENSOR:        loop.lookup %{{.*}} in dense<-56> : tensor<256xi8> : i8
// TENSOR:        loop.lookup %{{.*}} in dense<-3> : tensor<256xi8> : i8
func.func @signs(%x: tensor<4x8xui8>) -> tensor<4x8xi8> {
  %a = graph.lookup %x in dense<200> : tensor<256xui8> : tensor<4x8xui8> -> tensor<4x8xui8>
  %b = graph.lookup %a in dense<-3> : tensor<256xi8> : tensor<4x8xui8> -> tensor<4x8xi8>
  return %b : tensor<4x8xi8>
}
