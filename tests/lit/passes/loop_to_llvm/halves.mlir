// RUN: mlc-opt %s --convert-loop-to-llvm --target=x86-64-v3 --split-input-file | filecheck %s

// In memory, in vectors and in constants, floats of 16 bits are their bits; conversions are of floats.
// CHECK-LABEL: llvm.func weak_odr hidden @kernel(
// CHECK-NOT: bf16
// CHECK: llvm.load {{.*}} -> i16
// CHECK: llvm.bitcast %{{.*}} : i16 to f16
// CHECK: llvm.fpext
// CHECK: llvm.fptrunc
// CHECK: llvm.bitcast %{{.*}} : f16 to i16
// CHECK: llvm.store
// CHECK: llvm.mlir.constant(16256 : i16) : i16
// CHECK: llvm.select
// CHECK-NOT: bf16
func.func private @kernel(%x: memref<4xf16>, %y: memref<4xbf16>, %c: memref<4xi1>, %u: memref<4xf16> {mlc.output}, %v: memref<4xbf16> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 4 {
    %0 = loop.load %x[%n] : memref<4xf16>
    %1 = arith.extf %0 : f16 to f32
    %2 = arith.addf %1, %1 : f32
    %3 = arith.truncf %2 : f32 to f16
    loop.store %3, %u[%n] : memref<4xf16>
    %one = arith.constant 1.0 : bf16
    %4 = loop.load %y[%n] : memref<4xbf16>
    %5 = loop.load %c[%n] : memref<4xi1>
    %6 = arith.select %5, %4, %one : bf16
    loop.store %6, %v[%n] : memref<4xbf16>
  }
  return
}

// -----

// A person who computes with them knows what the machine has.
// CHECK-LABEL: llvm.func weak_odr hidden @computes(
// CHECK: llvm.fadd %{{.*}}, %{{.*}} : f16
func.func private @computes(%x: memref<4xf16>, %u: memref<4xf16> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 4 {
    %0 = loop.load %x[%n] : memref<4xf16>
    %1 = arith.addf %0, %0 : f16
    loop.store %1, %u[%n] : memref<4xf16>
  }
  return
}
