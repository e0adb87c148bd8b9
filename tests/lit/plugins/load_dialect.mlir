// RUN: mlc-opt --load-dialect %S/Inputs/scale.py %s | filecheck %s --check-prefix=PARSED
// RUN: mlc-opt --load-dialect=%S/Inputs/scale.py %s --canonicalize --verify-each --check-each | filecheck %s --check-prefix=CANON
// RUN: mlc-opt --load-dialect %S/Inputs/scale.py %s --fuse --lower-to-tensor --check-each | filecheck %s --check-prefix=TENSOR
// RUN: mlc-opt --load-dialect %S/Inputs/scale.py %s --lower-to-tensor --lower-to-loops --check-each | filecheck %s --check-prefix=LOOP
// RUN: mlc-opt --load-dialect %S/Inputs/scale.py %s -O3 --emit=llvm-ir --check-each | filecheck %s --check-prefix=LLVM
// RUN: mlc-opt --load-dialect %S/Inputs/scale.py %s --pass-pipeline="raise-to-scale,canonicalize" | filecheck %s --check-prefix=RAISED
// RUN: mlc-opt --load-dialect %S/Inputs/scale.py --load-dialect %S/Inputs/scale.py --list-passes | filecheck %s --check-prefix=LISTED
// RUN: not mlc-opt %s 2>&1 | filecheck %s --check-prefix=WITHOUT
// RUN: mlc compile --load-dialect %S/Inputs/scale.py %s --emit mlir:tensor -o - | filecheck %s --check-prefix=TENSOR

// PARSED: scale.by %x, 1.000000e+00 : tensor<8xf32>
// CANON-NOT: scale.by %x, 1.0
// TENSOR: func.func private @{{.*}}add_scale_by(
// TENSOR: arith.mulf
// LOOP: loop.store
// LLVM: fmul
// RAISED: scale.by %x, 2.000000e+00 : tensor<8xf32>
// LISTED: --raise-to-scale
// LISTED-NEXT: Write `x + x` as `scale.by x, 2`.
// LISTED-NEXT: doubled: float (default: 2.0)
// WITHOUT: error: unknown dialect 'scale'
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = scale.by %x, 1.0 : tensor<8xf32>
  %1 = graph.add %0, %0 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %2 = scale.by %1, 0.5 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
