// RUN: mlc-opt %s --lower-to-llvm --print-debuginfo | filecheck %s

// What a loop becomes, the addresses of an access, and branches have the line that they stand for; no op has none.
// CHECK-NOT: {{^ .*}}loc(unknown){{$}}
// CHECK: llvm.br ^bb1({{.*}}) loc("{{.*}}locations.mlir":[[LOOP:[0-9]+]]:3)
// CHECK: llvm.getelementptr {{.*}} loc("{{.*}}locations.mlir":[[LOAD:[0-9]+]]:10)
// CHECK: llvm.load {{.*}} loc("{{.*}}locations.mlir":[[LOAD]]:10)
// CHECK: llvm.fmul {{.*}} loc("{{.*}}locations.mlir":[[MUL:[0-9]+]]:10)
// CHECK: llvm.add {{.*}} loc("{{.*}}locations.mlir":[[LOOP]]:3)
// CHECK: llvm.cond_br {{.*}} loc("{{.*}}locations.mlir":[[LOOP]]:3)
func.func private @kernel(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for serial "i" %i = 0 to 8 {
    %0 = loop.load %x[%i] : memref<8xf32>
    %1 = arith.mulf %0, %0 : f32
    loop.store %1, %y[%i] : memref<8xf32>
  }
  return
}
