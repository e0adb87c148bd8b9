// RUN: sed '/graph.neg/d; s/%1 :/%0 :/' %s > %t.mlir
// RUN: (not mlc bisect %t.mlir --load-pass %S/Inputs/broken_passes.py --pass-pipeline=lower-to-loops,compare-for-maximum 2>&1) | filecheck %s --check-prefix=NAN
// RUN: (not mlc bisect %s --load-pass %S/Inputs/broken_passes.py --pass-pipeline=subtract-for-negation 2>&1) | filecheck %s --check-prefix=ZERO

// What is wrong for NaN alone, and what is wrong for negative zero alone, shows on inputs with such numbers.
// NAN: after pass 'compare-for-maximum'
// NAN: function  'main' for inputs with one infinity, NaN or extreme
// NAN-NEXT: element   [{{[0-9]+}}] of result 0: {{[-0-9.e]+}}, before: nan
// NAN-NEXT: in all    1 of 20 elements differ
// NAN-NEXT: op before {{.*}}arith.maximumf
// NAN-NEXT: op after  {{.*}}arith.select
// NAN-NEXT: its value {{[-0-9.e]+}}, before: nan

// ZERO: after pass 'subtract-for-negation'
// ZERO-NEXT: function  'main' for inputs of all magnitudes
// ZERO-NEXT: element   [{{[0-9]+}}] of result 0: 0.0, before: -0.0
// ZERO: op before {{.*}}graph.neg
// ZERO-NEXT: op after  {{.*}}graph.sub
// ZERO-NEXT: its value 0.0, before: -0.0
func.func @main(%x: tensor<20xf32>, %y: tensor<20xf32>) -> tensor<20xf32> {
  %0 = graph.max %x, %y : tensor<20xf32>, tensor<20xf32> -> tensor<20xf32>
  %1 = graph.neg %0 : tensor<20xf32>
  return %1 : tensor<20xf32>
}
