// RUN: mlc-opt --dce %s | filecheck %s
// NO-CHECK-EACH: the reference runs functions of one block only

// CHECK-LABEL: @blocks
func.func @blocks(%c: i1, %x: i32) -> i32 {
  // CHECK-NEXT: cf.cond_br %c, ^join(%x : i32), ^other
  cf.cond_br %c, ^join(%x : i32), ^other
^join(%r: i32):
  // CHECK-NEXT: ^join(%r: i32):
  // CHECK-NEXT: return %r
  return %r : i32
^other:
  // CHECK-NEXT: ^other:
  // CHECK-NEXT: %0 = arith.addi %x, %x
  // CHECK-NEXT: cf.br ^join(%0 : i32)
  %0 = arith.addi %x, %x : i32
  %1 = arith.muli %0, %0 : i32
  cf.br ^join(%0 : i32)
^unreachable:
  // CHECK-NOT: arith.subi
  %2 = arith.subi %x, %x : i32
  cf.br ^join(%2 : i32)
}
