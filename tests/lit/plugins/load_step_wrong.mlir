// RUN: sed "s/        loop.properties/        next(op for op in loop.walk() if op.name == 'loop.store').detach()\n        loop.properties/" %S/Inputs/serial_step.py > %t.py
// RUN: (not mlc-opt --load-pass %t.py %s --lower-to-loops --apply-schedule --check-each 2>&1) | filecheck %s

// A step of a plugin that changes what is computed is its mistake, at its line, and no bug of mlc.
// CHECK-NOT: bug in mlc
// CHECK: .py:{{[0-9]+}}: error: after 'apply-schedule', 'kernel' computes something else: result 0 at [0, 0] is nan
// CHECK: note: 'serial(m)' was carried out, and has to keep what loops compute
func.func private @kernel(%x: tensor<6x20xf32>) -> tensor<6x20xf32> attributes {schedule = #loop.schedule<[serial(m)]>} {
  %0 = tensor.map %x[m, n] over (m: 6, n: 20) : tensor<6x20xf32> -> tensor<6x20xf32> {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    tensor.yield %b : f32
  }
  return %0 : tensor<6x20xf32>
}
