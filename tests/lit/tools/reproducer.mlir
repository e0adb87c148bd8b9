// mlc-opt --print-op-generic --pass-pipeline=cse
// RUN: mlc-opt %s --run-reproducer | filecheck %s
// RUN: not mlc-opt --run-reproducer < /dev/null 2>&1 | filecheck %s --check-prefix=NONE

// CHECK: "arith.addi"
// CHECK-NOT: "arith.addi"
// NONE: mlc-opt: error: '-' is not a reproducer: its first line has to start with '// mlc-opt '
func.func @f(%x: i32) -> (i32, i32) {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  return %0, %1 : i32, i32
}
