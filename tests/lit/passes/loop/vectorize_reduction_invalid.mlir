// RUN: not mlc-opt %s --vectorize-reduction="loops=k lanes=1" 2>&1 | filecheck %s
// RUN: not mlc-opt %s --vectorize-reduction="lanes=8" 2>&1 | filecheck %s

// CHECK: error: vectorize-reduction: expected the names of loops and two or more lanes, as in "loops=k lanes=16"
func.func private @f() {
  return
}
