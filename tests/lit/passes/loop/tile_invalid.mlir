// RUN: not mlc-opt %s --tile 2>&1 | filecheck %s
// RUN: not mlc-opt %s --tile="sizes=-1" 2>&1 | filecheck %s

// CHECK: error: tile: expected positive sizes, one for each loop from the outside in, as in "sizes=8,48"
func.func private @f() {
  return
}
