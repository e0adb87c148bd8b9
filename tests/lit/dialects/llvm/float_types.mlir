// Every float type of LLVM, with a constant of it.
// RUN: mlc-opt %s --emit=llvm-ir | filecheck %s

// CHECK: define half @f16()
// CHECK: ret half 0xH3E00
llvm.func @f16() -> f16 {
  %0 = llvm.mlir.constant(1.5 : f16) : f16
  llvm.return %0 : f16
}
// CHECK: define bfloat @bf16()
// CHECK: ret bfloat 0xR3FC0
llvm.func @bf16() -> bf16 {
  %0 = llvm.mlir.constant(1.5 : bf16) : bf16
  llvm.return %0 : bf16
}
// CHECK: define float @f32()
// CHECK: ret float 0x3FF8000000000000
llvm.func @f32() -> f32 {
  %0 = llvm.mlir.constant(1.5 : f32) : f32
  llvm.return %0 : f32
}
// CHECK: define double @f64()
// CHECK: ret double 0x3FF8000000000000
llvm.func @f64() -> f64 {
  %0 = llvm.mlir.constant(1.5 : f64) : f64
  llvm.return %0 : f64
}
// CHECK: define x86_fp80 @f80()
// CHECK: ret x86_fp80 0xK3FFFC000000000000000
llvm.func @f80() -> f80 {
  %0 = llvm.mlir.constant(1.5 : f80) : f80
  llvm.return %0 : f80
}
// CHECK: define fp128 @f128(ptr %0)
// CHECK: store fp128 0xL00000000000000003FFF800000000000, ptr %0, align 16
// CHECK: ret fp128 0xL00000000000000003FFF800000000000
llvm.func @f128(%p: !llvm.ptr) -> f128 {
  %0 = llvm.mlir.constant(1.5 : f128) : f128
  llvm.store %0, %p : f128, !llvm.ptr
  llvm.return %0 : f128
}
