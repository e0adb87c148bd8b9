// RUN: mlc-opt %s | filecheck %s

// Types that are to be converted are not judged.
// CHECK: func.func @f(%a: !llvm.ptr {llvm.noalias, llvm.align = 16 : i64}, %b: memref<4xf32> {llvm.noalias}, %c: i8 {llvm.signext})
func.func @f(%a: !llvm.ptr {llvm.noalias, llvm.align = 16}, %b: memref<4xf32> {llvm.noalias}, %c: i8 {llvm.signext}) {
  return
}
