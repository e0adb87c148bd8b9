// RUN: not mlc-opt %s --cannonicalize 2>&1 | filecheck %s
// RUN: not mlc-opt %s --pass-pipeline=cannonicalize 2>&1 | filecheck %s --check-prefix=PIPELINE
// RUN: not mlc-opt %s --dce=speed=3 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not mlc-opt %s --lower-to-loop 2>&1 | filecheck %s --check-prefix=NEAR
// RUN: not mlc-opt %s --lower-to-loops=tile=3 2>&1 | filecheck %s --check-prefix=NO-OPTIONS

// CHECK: mlc-opt: error: unknown pass '--cannonicalize'; did you mean '--canonicalize'?
// PIPELINE: mlc-opt: error: unknown pass 'cannonicalize'; did you mean 'canonicalize'?
// OPTION: mlc-opt: error: pass 'dce' has no option 'speed' (it takes none)
// NEAR: mlc-opt: error: unknown pass '--lower-to-loop'; did you mean '--lower-to-loops'?
// NO-OPTIONS: mlc-opt: error: the pipeline 'lower-to-loops' takes no options, found 'tile'
