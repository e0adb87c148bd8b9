// RUN: mlc-opt %s --target=x86-64-v3 --convert-loop-to-llvm | filecheck %s --check-prefixes=CHECK,X86
// RUN: mlc-opt %s --target=aarch64 --convert-loop-to-llvm | filecheck %s --check-prefixes=CHECK,ARM

// Limits, 0 for NaN, a conversion to lanes of 32 bits, and a truncation.

// CHECK-LABEL: @signed_bytes(
// X86:      %[[LEAST:.*]] = llvm.mlir.constant(dense<-1.280000e+02> : vector<8xf32>)
// X86-NEXT: %[[BELOW:.*]] = llvm.fcmp "olt" %[[X:.*]], %[[LEAST]]
// X86-NEXT: %[[LOW:.*]] = llvm.select %[[BELOW]], %[[LEAST]], %[[X]]
// X86-NEXT: %[[MOST:.*]] = llvm.mlir.constant(dense<1.270000e+02> : vector<8xf32>)
// X86-NEXT: %[[ABOVE:.*]] = llvm.fcmp "ogt" %[[LOW]], %[[MOST]]
// X86-NEXT: %[[HIGH:.*]] = llvm.select %[[ABOVE]], %[[MOST]], %[[LOW]]
// X86-NEXT: %[[NAN:.*]] = llvm.fcmp "uno" %[[X]], %[[X]]
// X86-NEXT: %[[ZERO:.*]] = llvm.mlir.constant(dense<0.000000e+00> : vector<8xf32>)
// X86-NEXT: %[[NUMBER:.*]] = llvm.select %[[NAN]], %[[ZERO]], %[[HIGH]]
// X86-NEXT: %[[WHOLE:.*]] = llvm.fptosi %[[NUMBER]] : vector<8xf32> to vector<8xi32>
// X86-NEXT: llvm.trunc %[[WHOLE]] : vector<8xi32> to vector<8xi8>
// ARM:      llvm.intr.fptosi.sat(%{{.*}}) : (vector<8xf32>) -> vector<8xi8>
func.func private @signed_bytes(%x: memref<8xf32>, %out: memref<8xi8> {mlc.output}) {
  %a = loop.load %x[0] : memref<8xf32>, vector<8xf32>
  %b = arith.fptosi %a : vector<8xf32> to vector<8xi8>
  loop.store %b, %out[0] : memref<8xi8>, vector<8xi8>
  return
}

// NaN is not greater than 0, and becomes 0 without a comparison of its own.

// CHECK-LABEL: @unsigned_bytes(
// X86:      %[[ZERO:.*]] = llvm.mlir.constant(dense<0.000000e+00> : vector<8xf32>)
// X86-NEXT: %[[POSITIVE:.*]] = llvm.fcmp "ogt" %[[X:.*]], %[[ZERO]]
// X86-NEXT: llvm.select %[[POSITIVE]], %[[X]], %[[ZERO]]
// X86-NEXT: llvm.mlir.constant(dense<2.550000e+02> : vector<8xf32>)
// X86-NOT:  "uno"
// X86:      llvm.fptosi
// ARM:      llvm.intr.fptoui.sat(%{{.*}}) : (vector<8xf32>) -> vector<8xi8>
func.func private @unsigned_bytes(%x: memref<8xf32>, %out: memref<8xi8> {mlc.output}) {
  %a = loop.load %x[0] : memref<8xf32>, vector<8xf32>
  %b = arith.fptoui %a : vector<8xf32> to vector<8xi8>
  loop.store %b, %out[0] : memref<8xi8>, vector<8xi8>
  return
}

// The greatest i32 is no f32: what is beyond it is chosen afterwards.

// CHECK-LABEL: @words(
// X86:      llvm.mlir.constant(dense<2.14748352e+09> : vector<4xf32>)
// X86:      %[[WHOLE:.*]] = llvm.fptosi
// X86-NEXT: %[[BEYOND:.*]] = llvm.mlir.constant(dense<2.14748365e+09> : vector<4xf32>)
// X86-NEXT: %[[IS_BEYOND:.*]] = llvm.fcmp "oge" %{{.*}}, %[[BEYOND]]
// X86-NEXT: %[[MOST:.*]] = llvm.mlir.constant(dense<2147483647> : vector<4xi32>)
// X86-NEXT: llvm.select %[[IS_BEYOND]], %[[MOST]], %[[WHOLE]]
// ARM:      llvm.intr.fptosi.sat
// CHECK:    llvm.intr.fptoui.sat(%{{.*}}) : (vector<4xf32>) -> vector<4xi32>
func.func private @words(%x: memref<4xf32>, %out: memref<4xi32> {mlc.output}) {
  %a = loop.load %x[0] : memref<4xf32>, vector<4xf32>
  %b = arith.fptosi %a : vector<4xf32> to vector<4xi32>
  %c = arith.fptoui %a : vector<4xf32> to vector<4xi32>
  %d = arith.xori %b, %c : vector<4xi32>
  loop.store %d, %out[0] : memref<4xi32>, vector<4xi32>
  return
}

// CHECK-LABEL: @doubles(
// X86:      llvm.mlir.constant(dense<0x41DFFFFFFFC00000> : vector<4xf64>)
// X86-NOT:  "oge"
// X86:      llvm.fptosi
// ARM:      llvm.intr.fptosi.sat
func.func private @doubles(%x: memref<4xf64>, %out: memref<4xi32> {mlc.output}) {
  %a = loop.load %x[0] : memref<4xf64>, vector<4xf64>
  %b = arith.fptosi %a : vector<4xf64> to vector<4xi32>
  loop.store %b, %out[0] : memref<4xi32>, vector<4xi32>
  return
}
