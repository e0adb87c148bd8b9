// RUN: mlc-opt %s --print-op-generic | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s --check-prefix=BACK

// CHECK: "func.func"()
// CHECK: "arith.addi"(%{{.*}}, %{{.*}})
// BACK: arith.addi %{{.*}}, %{{.*}} : i32
func.func @double(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}
