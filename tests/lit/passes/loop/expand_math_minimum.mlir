// RUN: mlc-opt %s --expand-math --target=aarch64 --check-each | filecheck %s
// RUN: mlc-opt %s --expand-math --target=x86-64-v3 | filecheck %s --check-prefix=X86

// Where the smaller of two floats is one instruction that keeps NaN, limits need no comparison.
// CHECK-LABEL: func.func private @limits
// X86-LABEL: func.func private @limits
func.func private @limits(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  loop.for parallel "i" %i = 0 to 4 {
    // CHECK:     %a = loop.load
    // CHECK:     arith.minimumf %a, %{{.*}} : f32
    // CHECK:     arith.maximumf %{{.*}} : f32
    // CHECK-NOT: arith.cmpf
    // X86-NOT:   arith.minimumf
    // X86:       arith.cmpf ogt, %a
    // X86-NOT:   arith.maximumf
    %a = loop.load %x[%i] : memref<4xf32>
    %b = math.exp %a : f32
    loop.store %b, %y[%i] : memref<4xf32>
  }
  return
}
