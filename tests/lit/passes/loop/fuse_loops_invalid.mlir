// RUN: not mlc-opt %s --fuse-loops 2>&1 | filecheck %s

// CHECK: error: fuse-loops: expected the names of loops, as in "loops=m"
func.func private @f() {
  return
}
