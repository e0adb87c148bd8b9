// RUN: mlc compile %s -o %t.o 2>&1 | filecheck %s
// RUN: mlc compile %s -o %t.o 2>&1 | filecheck %s
// RUN: cp %s %t.other_name.mlir && mlc compile %t.other_name.mlir -o %t.o 2>&1 | filecheck %s --check-prefix=OTHER
// RUN: mlc-opt %s -O3 --emit=mlir:loop 2>&1 >%t | filecheck %s
// RUN: mlc compile %s -O1 -o %t.o 2>&1 | filecheck %s --check-prefix=O1
// RUN: mlc-opt %s -O1 --emit=mlir:loop 2>&1 >%t | filecheck %s --allow-empty --check-prefix=LOOP

// O1: schedule_warnings.mlir:{{[0-9]+}}:{{[0-9]+}}: warning: schedule of 'scale' not carried out: apply-schedule did not run; -O2 and -O3 run it
// O1-NOT: warning
// LOOP-NOT: warning

// What was compiled before, under another name, warns with the name that it has now.
// OTHER: other_name.mlir:{{[0-9]+}}:{{[0-9]+}}: warning: schedule step

// A person's schedule is told where it is not carried out, each time; what the default rules try is not.
// CHECK: schedule_warnings.mlir:{{[0-9]+}}:{{[0-9]+}}: warning: schedule step 'vectorize(n, 16)': loop 'n' not vectorized: 40 iterations are more than 16 lanes; tile it first
// CHECK-NOT: warning
func.func private @scale(%x: tensor<8x40xf32>) -> tensor<8x40xf32>
    attributes {schedule = #loop.schedule<[vectorize(n, 16)]>} {
  %0 = tensor.map %x[m, n] over (m: 8, n: 40) : tensor<8x40xf32> -> tensor<8x40xf32> {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    tensor.yield %b : f32
  }
  return %0 : tensor<8x40xf32>
}

func.func private @ruled(%x: tensor<8x40xf32>) -> tensor<8x40xf32> {
  %0 = tensor.map %x[m, n] over (m: 8, n: 40) : tensor<8x40xf32> -> tensor<8x40xf32> {
  ^bb0(%a: f32):
    %b = math.exp %a : f32
    tensor.yield %b : f32
  }
  return %0 : tensor<8x40xf32>
}

func.func @main(%x: tensor<8x40xf32>) -> tensor<8x40xf32> {
  %0 = call @scale(%x) : (tensor<8x40xf32>) -> tensor<8x40xf32>
  %1 = call @ruled(%0) : (tensor<8x40xf32>) -> tensor<8x40xf32>
  return %1 : tensor<8x40xf32>
}
