// RUN: not mlc-opt %s --unroll 2>&1 | filecheck %s

// CHECK: error: unroll: expected the names of loops, as in "loops=mi"
func.func private @f() {
  return
}
