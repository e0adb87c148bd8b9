// REQUIRES: mlir-opt
// RUN: mlc-opt %S/print.mlir | mlir-opt | mlc-opt | filecheck %s

// CHECK: vector.print %{{.*}} : vector<4xf32>
// CHECK: vector.print %{{.*}} : vector<4xf32> punctuation <comma>
// CHECK: vector.print punctuation <open>
// CHECK: vector.print str "text"
