// RUN: mlc-opt %s --verify-diagnostics

llvm.func @round(%x: f32) -> f32 {
  // expected-error @+1 {{llvm.call_intrinsic: the name starts with "llvm.", got "round" (call_intrinsic_c1)}}
  %0 = llvm.call_intrinsic "round"(%x) : (f32) -> f32
  llvm.return %0 : f32
}
