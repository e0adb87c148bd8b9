// Bytes that are no text of MLIR, and nesting without end; the files are made here.

// RUN: printf 'module {}\n// \377\n' > %t && not mlc-opt %t 2>&1 | filecheck %s --check-prefix=BYTE
// RUN: printf '\377\376m\000' > %t && not mlc-opt %t 2>&1 | filecheck %s --check-prefix=UTF16
// RUN: printf '\000' > %t && not mlc-opt %t 2>&1 | filecheck %s --check-prefix=NUL
// RUN: printf 'module {\357\273\277}' > %t && not mlc-opt %t 2>&1 | filecheck %s --check-prefix=MARK
// RUN: printf 'module {\001}' > %t && not mlc-opt %t 2>&1 | filecheck %s --check-prefix=CONTROL
// RUN: printf '"t.op"() ({\n%%.0s' $(seq 1100) > %t && not mlc-opt --allow-unregistered-dialect %t 2>&1 | filecheck %s --check-prefix=DEEP
// RUN: printf '#a = 1' > %t && not mlc-opt %t 2>&1 | filecheck %s --check-prefix=EMPTY

// EMPTY: :1:1: error: expected an operation, the text has none
// BYTE: :2:{{.*}}error: {{.*}}is not UTF-8 text: byte 0xff at offset 13
// UTF16: is not UTF-8 text: byte 0xff at offset 0
// NUL: :1:1: error: expected an operation, the text has none
// MARK: :1:9: error: expected '}', a block such as ^bb0 or an operation, got character '\ufeff'
// CONTROL: :1:9: error: expected '}', a block such as ^bb0 or an operation, got character '\x01'
// DEEP: :1001:11: error: regions are nested more than 1000 deep
