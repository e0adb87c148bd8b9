// RUN: mlc-opt %s --convert-loop-to-llvm --target=icelake-server | filecheck %s --check-prefix=TWO
// RUN: mlc-opt %s --convert-loop-to-llvm --target=haswell | filecheck %s --check-prefix=SIXTEEN
// RUN: mlc-opt %s --convert-loop-to-llvm --target=neoverse-n1 | filecheck %s --check-prefix=FOUR
// RUN: mlc-opt %s --convert-loop-to-llvm --target=x86-64-v2 | filecheck %s --check-prefix=LOADS

// One instruction sees half of the table, a 16th, or a quarter; the highest bit of a code selects the half, codes beyond
// a quarter give 0. Without such instructions, and for one code, the table is in memory.

// TWO-LABEL: llvm.func @mlc_bytes(
// TWO-COUNT-2: "llvm.x86.avx512.vpermi2var.qi.512"
// TWO:         llvm.icmp "slt"
// TWO:         llvm.select
// TWO-NOT:     call_intrinsic
// TWO:         llvm.mlir.addressof @constant_0
// TWO:         llvm.load
// SIXTEEN-LABEL: llvm.func @mlc_bytes(
// SIXTEEN:     "llvm.uadd.sat.v32i8"
// SIXTEEN:     "llvm.x86.avx2.pshuf.b"
// SIXTEEN:     llvm.sub
// SIXTEEN-COUNT-15: "llvm.x86.avx2.pshuf.b"
// FOUR-LABEL: llvm.func @mlc_bytes(
// FOUR-COUNT-8: "llvm.aarch64.neon.tbl4.v16i8"
// FOUR-NOT:    tbl4
// LOADS-LABEL: llvm.func @mlc_bytes(
// LOADS-NOT:   call_intrinsic
func.func @bytes(%x: memref<33xi8>, %y: memref<33xi8> {mlc.output}) {
  %zero = arith.constant 0 : index
  %a = loop.load %x[%zero] : memref<33xi8>, vector<32xi8>
  %b = loop.lookup %a in dense<7> : tensor<256xi8> : vector<32xi8>
  loop.store %b, %y[%zero] : memref<33xi8>, vector<32xi8>
  %c = loop.load %x[%zero + 32] : memref<33xi8>
  %d = loop.lookup %c in dense<7> : tensor<256xi8> : i8
  loop.store %d, %y[%zero + 32] : memref<33xi8>
  return
}
