// RUN: mlc-opt %s --apply-schedule --split-input-file --verify-diagnostics

// expected-error @+1 {{schedule step 'vectorize(q)' names no loop of 'f', which has the loops n}}
func.func private @f(%y: memref<2xf32> {mlc.output}) attributes {schedule = #loop.schedule<[vectorize(q)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 2 {
    loop.store %zero, %y[%n] : memref<2xf32>
  }
  return
}

// -----

// expected-error @+1 {{schedule step 'pack(w, n)': 'g' has no argument 'w'; its arguments are y}}
func.func private @g(%y: memref<2xf32> {mlc.output}) attributes {schedule = #loop.schedule<[pack(w, n)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 2 {
    loop.store %zero, %y[%n] : memref<2xf32>
  }
  return
}

// -----

// expected-error @+1 {{schedule step 'partition(n, zz)' names the loop 'zz', which is not in 'i'; it has the loops n}}
func.func private @i(%y: memref<2xf32> {mlc.output}) attributes {schedule = #loop.schedule<[partition(n, zz)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 2 {
    loop.store %zero, %y[%n] : memref<2xf32>
  }
  return
}

// -----

// expected-error @+1 {{schedule step 'prefetch_next(n, zz)' names the loop 'zz', which is not in 'h'; it has the loops n}}
func.func private @h(%y: memref<2xf32> {mlc.output}) attributes {schedule = #loop.schedule<[prefetch_next(n, zz)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 2 {
    loop.store %zero, %y[%n] : memref<2xf32>
  }
  return
}
