// Functions keep linkage, convention, visibility and attributes, with a body or without.
// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-debuginfo | mlc-opt | filecheck %s

// CHECK: llvm.func @declared(i32 {llvm.noundef}, ...) -> (i32 {llvm.zeroext})
llvm.func @declared(i32 {llvm.noundef}, ...) -> (i32 {llvm.zeroext})
// CHECK: llvm.func @variadic(...)
llvm.func @variadic(...)
// CHECK: llvm.func extern_weak fastcc hidden unnamed_addr @all(!llvm.ptr {llvm.noalias}, f32) -> f32
llvm.func extern_weak fastcc hidden unnamed_addr @all(!llvm.ptr {llvm.noalias}, f32) -> f32
// CHECK: llvm.func internal @body(%x: !llvm.ptr {llvm.noalias}) attributes {passthrough = ["nounwind"]} {
llvm.func internal @body(%x: !llvm.ptr {llvm.noalias}) attributes {passthrough = ["nounwind"]} {
  llvm.return
}
