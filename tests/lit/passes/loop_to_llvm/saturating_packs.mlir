// RUN: mlc-opt %s --lower-to-llvm --target=icelake-server | filecheck %s --check-prefix=AVX512
// RUN: mlc-opt %s --lower-to-llvm --target=haswell | filecheck %s --check-prefix=AVX2
// RUN: mlc-opt %s --lower-to-llvm --target=cortex-a76 | filecheck %s --check-prefix=NEON

// Bytes of floats, with a zero point: packs saturate, so that one limit is left.

// AVX512-LABEL: llvm.func @mlc_unsigned(
// AVX512:         llvm.fcmp "ogt"
// AVX512:         llvm.select
// AVX512:         llvm.call_intrinsic "llvm.x86.avx512.mask.cvtps2dq.512"
// AVX512-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"
// AVX512-COUNT-2: llvm.call_intrinsic "llvm.sadd.sat.v32i16"
// AVX512:         llvm.call_intrinsic "llvm.x86.avx512.packuswb.512"
// AVX512:         llvm.shufflevector {{.*}} [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15] : vector<16xi32>
// AVX512-NOT:     llvm.trunc
// AVX2-LABEL:   llvm.func @mlc_unsigned(
// AVX2-COUNT-8:   llvm.call_intrinsic "llvm.x86.avx.cvt.ps2dq.256"
// AVX2:           llvm.shufflevector {{.*}} [0, 4, 1, 5, 2, 6, 3, 7] : vector<8xi32>
// NEON-LABEL:   llvm.func @mlc_unsigned(
// NEON-NOT:       llvm.call_intrinsic
// NEON:           llvm.trunc
func.func @unsigned(%x: memref<64xf32>, %y: memref<64xi8> {mlc.output}) {
  %low = arith.constant dense<-3.0> : vector<64xf32>
  %high = arith.constant dense<252.0> : vector<64xf32>
  %unit = arith.constant dense<0x4B400000> : vector<64xf32>
  %zero = arith.constant dense<3> : vector<64xi32>
  %a = loop.load %x[0] : memref<64xf32>, vector<64xf32>
  %more = arith.cmpf ogt, %a, %low : vector<64xf32>
  %b = arith.select %more, %a, %low : vector<64xi1>, vector<64xf32>
  %less = arith.cmpf olt, %b, %high : vector<64xf32>
  %c = arith.select %less, %b, %high : vector<64xi1>, vector<64xf32>
  %d = arith.addf %c, %unit : vector<64xf32>
  %e = arith.bitcast %d : vector<64xf32> to vector<64xi32>
  %f = arith.addi %e, %zero : vector<64xi32>
  %g = arith.trunci %f : vector<64xi32> to vector<64xi8>
  loop.store %g, %y[0] : memref<64xi8>, vector<64xi8>
  return
}

// Signed ones, in two registers, without a zero point.

// AVX512-LABEL: llvm.func @mlc_signed(
// AVX512-COUNT-1: llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"
// AVX512-NOT:     llvm.sadd.sat
// AVX512:         llvm.call_intrinsic "llvm.x86.avx512.packsswb.512"(%[[H:.*]], %[[H]])
// AVX512:         llvm.shufflevector {{.*}} [0, 4, 8, 12, 1, 5, 9, 13] : vector<16xi32>
func.func @signed(%x: memref<32xf32>, %y: memref<32xi8> {mlc.output}) {
  %low = arith.constant dense<-128.0> : vector<32xf32>
  %high = arith.constant dense<127.0> : vector<32xf32>
  %unit = arith.constant dense<0x4B400000> : vector<32xf32>
  %a = loop.load %x[0] : memref<32xf32>, vector<32xf32>
  %more = arith.cmpf ogt, %a, %low : vector<32xf32>
  %b = arith.select %more, %a, %low : vector<32xi1>, vector<32xf32>
  %less = arith.cmpf olt, %b, %high : vector<32xf32>
  %c = arith.select %less, %b, %high : vector<32xi1>, vector<32xf32>
  %d = arith.addf %c, %unit : vector<32xf32>
  %e = arith.bitcast %d : vector<32xf32> to vector<32xi32>
  %g = arith.trunci %e : vector<32xi32> to vector<32xi8>
  loop.store %g, %y[0] : memref<32xi8>, vector<32xi8>
  return
}

// One register is truncated.

// AVX512-LABEL: llvm.func @mlc_one(
// AVX512-NOT:     packssdw
// AVX512:         llvm.trunc
func.func @one(%x: memref<16xf32>, %y: memref<16xi8> {mlc.output}) {
  %low = arith.constant dense<0.0> : vector<16xf32>
  %high = arith.constant dense<255.0> : vector<16xf32>
  %unit = arith.constant dense<0x4B400000> : vector<16xf32>
  %zero = arith.constant dense<-1262485504> : vector<16xi32>
  %a = loop.load %x[0] : memref<16xf32>, vector<16xf32>
  %more = arith.cmpf ogt, %a, %low : vector<16xf32>
  %b = arith.select %more, %a, %low : vector<16xi1>, vector<16xf32>
  %less = arith.cmpf olt, %b, %high : vector<16xf32>
  %c = arith.select %less, %b, %high : vector<16xi1>, vector<16xf32>
  %d = arith.addf %c, %unit : vector<16xf32>
  %e = arith.bitcast %d : vector<16xf32> to vector<16xi32>
  %f = arith.addi %e, %zero : vector<16xi32>
  %g = arith.trunci %f : vector<16xi32> to vector<16xi8>
  loop.store %g, %y[0] : memref<16xi8>, vector<16xi8>
  return
}

// Limits that are not those of a byte stay.

// AVX512-LABEL: llvm.func @mlc_narrow(
// AVX512-NOT:     packssdw
// AVX512:         llvm.trunc
func.func @narrow(%x: memref<64xf32>, %y: memref<64xi8> {mlc.output}) {
  %low = arith.constant dense<0.0> : vector<64xf32>
  %high = arith.constant dense<6.0> : vector<64xf32>
  %unit = arith.constant dense<0x4B400000> : vector<64xf32>
  %zero = arith.constant dense<-1262485504> : vector<64xi32>
  %a = loop.load %x[0] : memref<64xf32>, vector<64xf32>
  %more = arith.cmpf ogt, %a, %low : vector<64xf32>
  %b = arith.select %more, %a, %low : vector<64xi1>, vector<64xf32>
  %less = arith.cmpf olt, %b, %high : vector<64xf32>
  %c = arith.select %less, %b, %high : vector<64xi1>, vector<64xf32>
  %d = arith.addf %c, %unit : vector<64xf32>
  %e = arith.bitcast %d : vector<64xf32> to vector<64xi32>
  %f = arith.addi %e, %zero : vector<64xi32>
  %g = arith.trunci %f : vector<64xi32> to vector<64xi8>
  loop.store %g, %y[0] : memref<64xi8>, vector<64xi8>
  return
}

// So do limits between integers.

// AVX512-LABEL: llvm.func @mlc_between(
// AVX512-NOT:     packssdw
// AVX512:         llvm.trunc
func.func @between(%x: memref<64xf32>, %y: memref<64xi8> {mlc.output}) {
  %low = arith.constant dense<-0.5> : vector<64xf32>
  %high = arith.constant dense<255.0> : vector<64xf32>
  %unit = arith.constant dense<0x4B400000> : vector<64xf32>
  %zero = arith.constant dense<-1262485504> : vector<64xi32>
  %a = loop.load %x[0] : memref<64xf32>, vector<64xf32>
  %more = arith.cmpf ogt, %a, %low : vector<64xf32>
  %b = arith.select %more, %a, %low : vector<64xi1>, vector<64xf32>
  %less = arith.cmpf olt, %b, %high : vector<64xf32>
  %c = arith.select %less, %b, %high : vector<64xi1>, vector<64xf32>
  %d = arith.addf %c, %unit : vector<64xf32>
  %e = arith.bitcast %d : vector<64xf32> to vector<64xi32>
  %f = arith.addi %e, %zero : vector<64xi32>
  %g = arith.trunci %f : vector<64xi32> to vector<64xi8>
  loop.store %g, %y[0] : memref<64xi8>, vector<64xi8>
  return
}

// Another number rounds to other units.

// AVX512-LABEL: llvm.func @mlc_halves(
// AVX512-NOT:     packssdw
// AVX512:         llvm.trunc
func.func @halves(%x: memref<64xf32>, %y: memref<64xi8> {mlc.output}) {
  %low = arith.constant dense<0.0> : vector<64xf32>
  %high = arith.constant dense<255.0> : vector<64xf32>
  %unit = arith.constant dense<0x4AC00000> : vector<64xf32>
  %zero = arith.constant dense<-1254096896> : vector<64xi32>
  %a = loop.load %x[0] : memref<64xf32>, vector<64xf32>
  %more = arith.cmpf ogt, %a, %low : vector<64xf32>
  %b = arith.select %more, %a, %low : vector<64xi1>, vector<64xf32>
  %less = arith.cmpf olt, %b, %high : vector<64xf32>
  %c = arith.select %less, %b, %high : vector<64xi1>, vector<64xf32>
  %d = arith.addf %c, %unit : vector<64xf32>
  %e = arith.bitcast %d : vector<64xf32> to vector<64xi32>
  %f = arith.addi %e, %zero : vector<64xi32>
  %g = arith.trunci %f : vector<64xi32> to vector<64xi8>
  loop.store %g, %y[0] : memref<64xi8>, vector<64xi8>
  return
}

// NaN is less than all bytes; here it would be more.

// AVX512-LABEL: llvm.func @mlc_unordered(
// AVX512-NOT:     packssdw
// AVX512:         llvm.trunc
func.func @unordered(%x: memref<64xf32>, %y: memref<64xi8> {mlc.output}) {
  %low = arith.constant dense<0.0> : vector<64xf32>
  %high = arith.constant dense<255.0> : vector<64xf32>
  %unit = arith.constant dense<0x4B400000> : vector<64xf32>
  %zero = arith.constant dense<-1262485504> : vector<64xi32>
  %a = loop.load %x[0] : memref<64xf32>, vector<64xf32>
  %more = arith.cmpf ugt, %a, %low : vector<64xf32>
  %b = arith.select %more, %a, %low : vector<64xi1>, vector<64xf32>
  %less = arith.cmpf olt, %b, %high : vector<64xf32>
  %c = arith.select %less, %b, %high : vector<64xi1>, vector<64xf32>
  %d = arith.addf %c, %unit : vector<64xf32>
  %e = arith.bitcast %d : vector<64xf32> to vector<64xi32>
  %f = arith.addi %e, %zero : vector<64xi32>
  %g = arith.trunci %f : vector<64xi32> to vector<64xi8>
  loop.store %g, %y[0] : memref<64xi8>, vector<64xi8>
  return
}

// A sum that is not the zero point's stays.

// AVX512-LABEL: llvm.func @mlc_moved(
// AVX512-NOT:     packssdw
// AVX512:         llvm.trunc
func.func @moved(%x: memref<64xf32>, %y: memref<64xi8> {mlc.output}) {
  %low = arith.constant dense<-3.0> : vector<64xf32>
  %high = arith.constant dense<252.0> : vector<64xf32>
  %unit = arith.constant dense<0x4B400000> : vector<64xf32>
  %zero = arith.constant dense<4> : vector<64xi32>
  %a = loop.load %x[0] : memref<64xf32>, vector<64xf32>
  %more = arith.cmpf ogt, %a, %low : vector<64xf32>
  %b = arith.select %more, %a, %low : vector<64xi1>, vector<64xf32>
  %less = arith.cmpf olt, %b, %high : vector<64xf32>
  %c = arith.select %less, %b, %high : vector<64xi1>, vector<64xf32>
  %d = arith.addf %c, %unit : vector<64xf32>
  %e = arith.bitcast %d : vector<64xf32> to vector<64xi32>
  %f = arith.addi %e, %zero : vector<64xi32>
  %g = arith.trunci %f : vector<64xi32> to vector<64xi8>
  loop.store %g, %y[0] : memref<64xi8>, vector<64xi8>
  return
}
