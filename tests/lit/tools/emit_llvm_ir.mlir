// RUN: mlc-opt %s --lower-to-llvm --emit=llvm-ir | filecheck %s
// RUN: mlc-opt %s --lower-to-llvm --emit=asm --target=aarch64 | filecheck %s --check-prefix=ASM
// RUN: not mlc-opt %s --emit=llvm-ir 2>&1 | filecheck %s --check-prefix=HIGH
// REQUIRES: clang

// CHECK: define weak_odr hidden i32 @double(i32 %
// CHECK: add i32
// ASM: double:
// ASM: ret
// HIGH: emit_llvm_ir.mlir:11:1: error: LLVM IR is made of llvm ops, found 'func.func': run --lower-to-llvm or -O first
func.func private @double(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}
