// RUN: not mlc-opt %s --cannonicalize 2>&1 | filecheck %s
// RUN: not mlc-opt %s --pass-pipeline=cannonicalize 2>&1 | filecheck %s --check-prefix=PIPELINE
// RUN: not mlc-opt %s --dce=speed=3 2>&1 | filecheck %s --check-prefix=OPTION

// CHECK: mlc-opt: error: unknown pass '--cannonicalize'; did you mean '--canonicalize'?
// PIPELINE: mlc-opt: error: unknown pass 'cannonicalize'; did you mean 'canonicalize'?
// OPTION: mlc-opt: error: pass 'dce' has no option 'speed' (it takes none)
