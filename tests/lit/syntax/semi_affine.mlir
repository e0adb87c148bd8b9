// RUN: mlc-opt %s --allow-unregistered-dialect | filecheck %s
// RUN: mlc-opt %s --allow-unregistered-dialect | mlc-opt --allow-unregistered-dialect | filecheck %s
// RUN: mlc-opt %s --allow-unregistered-dialect --print-op-generic | mlc-opt --allow-unregistered-dialect | filecheck %s

// Maps and sets that multiply and divide by symbols.

// What varies stands on the left of a product.
// CHECK: affine_map<(d0)[s0] -> ((d0 * s0), (d0 * (s0 * 2)), ((d0 * 3) * s0), (s0 * s0))>
"t.op"() {m = affine_map<(d0)[s0] -> (s0 * d0, 2 * s0 * d0, d0 * 3 * s0, s0 * s0)>} : () -> ()
// CHECK: affine_map<(d0)[s0] -> ((d0 floordiv s0), (d0 ceildiv (s0 + 2)), ((d0 mod s0) floordiv 4), (5 mod s0))>
"t.op"() {m = affine_map<(d0)[s0] -> (d0 floordiv s0, d0 ceildiv (s0 + 2), (d0 mod s0) floordiv 4, 5 mod s0)>} : () -> ()
// CHECK: affine_map<(d0, d1)[s0] -> ((d0 + ((d1 * s0) * -1)), ((d0 + d1) * (s0 + 1)), ((d0 * s0) * -1))>
"t.op"() {m = affine_map<(d0, d1)[s0] -> (d0 - d1 * s0, (d0 + d1) * (s0 + 1), -(s0 * d0))>} : () -> ()
// CHECK: affine_set<(d0)[s0] : ((d0 + ((s0 * s0) * -1)) >= 0, (d0 mod s0) == 0)>
"t.op"() {s = affine_set<(d0)[s0] : (d0 - s0 * s0 >= 0, d0 mod s0 == 0)>} : () -> ()
// The layout of a buffer whose rows have a length that is not known.
// CHECK: memref<4x4xf32, affine_map<(d0, d1)[s0] -> (((d0 * s0) + d1))>>
"t.op"() : () -> memref<4x4xf32, affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>>
// A product of a sum stays as it is written.
// CHECK: affine_map<(d0, d1) -> (((d0 + d1) * 4), (d0 + ((d0 + d1) * -1)), ((d0 + d1) * -1), (d0 + d1))>
"t.op"() {m = affine_map<(d0, d1) -> ((d0 + d1) * 4, d0 - (d0 + d1), -(d0 + d1), (d0 + d1) * 1)>} : () -> ()
