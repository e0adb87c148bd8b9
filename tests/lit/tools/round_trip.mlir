// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK: func.func @double(%x: i32) -> i32
func.func @double(%x: i32) -> i32 {
  // CHECK-NEXT: arith.addi %x, %x
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}
