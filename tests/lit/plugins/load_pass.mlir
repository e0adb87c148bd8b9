// RUN: (not mlc-opt --load-pass %S/Inputs/merge_scales.py %s --merge-scales 2>&1) | filecheck %s --check-prefix=ALONE
// RUN: mlc-opt --load-dialect %S/Inputs/scale.py --load-pass %S/Inputs/merge_scales.py %s --merge-scales --check-each | filecheck %s

// A file that is loaded later imports an earlier one by its name.
// CHECK: func.func @main
// CHECK-NEXT: scale.by %x, 6.000000e+00
// CHECK-NEXT: func.return
// ALONE: merge_scales.py:8: error: plugin '{{.*}}merge_scales.py' fails: ModuleNotFoundError: No module named 'scale'
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = scale.by %x, 2.0 : tensor<8xf32>
  %1 = scale.by %0, 3.0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
