// RUN: mlc-opt --load-pass %S/Inputs/serial_step.py %s --lower-to-loops --apply-schedule 2>%t | filecheck %s
// RUN: filecheck %s --check-prefix=WARN < %t
// RUN: (not mlc-opt %s 2>&1) | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: unknown schedule step 'serial'; the steps are
// WARN: warning: schedule step 'serial(k)': loop 'k' not changed by 'serial': its iterations follow each other already

// CHECK-LABEL: @kernel
// CHECK: loop.for serial "m"
// CHECK: loop.for parallel "n"
func.func private @kernel(%x: tensor<6x5xf32>, %w: tensor<5x20xf32>) -> tensor<6x20xf32>
    attributes {schedule = #loop.schedule<[serial(m), serial(k)]>} {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 6, n: 20) reduce (k: 5)
      : tensor<6x5xf32>, tensor<5x20xf32> -> tensor<6x20xf32>
  return %0 : tensor<6x20xf32>
}
