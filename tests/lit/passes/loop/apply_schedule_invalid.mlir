// RUN: mlc-opt %s --apply-schedule --verify-diagnostics

// expected-error @+1 {{schedule step 'vectorize(q)' names no loop of 'f', which has the loops n}}
func.func private @f(%y: memref<2xf32> {mlc.output}) attributes {schedule = #loop.schedule<[vectorize(q)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 2 {
    loop.store %zero, %y[%n] : memref<2xf32>
  }
  return
}
