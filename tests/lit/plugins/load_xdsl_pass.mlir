// RUN: mlc-opt --load-pass %S/Inputs/xdsl_pass.py %s --maximum-by-select=predicate=oge | filecheck %s
// RUN: mlc-opt --load-pass %S/Inputs/xdsl_pass.py %s --pass-pipeline='builtin.module(maximum-by-select,lower-to-llvm)' | filecheck %s --check-prefix=LLVM
// RUN: (not mlc-opt --load-pass %S/Inputs/xdsl_pass.py %s --maximum-by-select=predicat=oge 2>&1) | filecheck %s --check-prefix=OPTION
// RUN: mlc-opt --load-pass %S/Inputs/xdsl_pass.py --list-passes | filecheck %s --check-prefix=LIST

// A pass of xDSL is one of mlc, and so are the ops that it makes of xDSL's classes.
// CHECK: [[C:%[0-9]+]] = arith.cmpf oge, %x, %y : f32
// CHECK-NEXT: arith.select [[C]], %x, %y : f32
// LLVM: llvm.fcmp "ogt"
// LLVM-NEXT: llvm.select
// OPTION: pass 'maximum-by-select' has no option 'predicat'; did you mean 'predicate'?
// LIST: --maximum-by-select
// LIST-NEXT: Write the larger of two floats by a comparison.
// LIST-NEXT: predicate: string (default: ogt)
func.func private @f(%x: f32, %y: f32) -> f32 {
  %0 = arith.maximumf %x, %y : f32
  return %0 : f32
}
