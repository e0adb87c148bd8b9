// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --emit=llvm-ir | filecheck %s --check-prefix=IR

// CHECK: %0 = llvm.call_intrinsic "llvm.round.f32"(%x) : (f32) -> f32 {fastmathFlags = #llvm.fastmath<contract>}
// CHECK: llvm.call_intrinsic "llvm.donothing"() : () -> ()
// IR: call contract float @llvm.round.f32(float %
// IR: call void @llvm.donothing()
llvm.func @round(%x: f32) -> f32 {
  %0 = llvm.call_intrinsic "llvm.round.f32"(%x) : (f32) -> f32 {fastmathFlags = #llvm.fastmath<contract>}
  llvm.call_intrinsic "llvm.donothing"() : () -> ()
  llvm.return %0 : f32
}
