// RUN: not mlc-opt %s --split-reduction 2>&1 | filecheck %s
// RUN: not mlc-opt %s --split-reduction="loops=k parts=1" 2>&1 | filecheck %s
// RUN: not mlc-opt %s --split-reduction="loops=zz" 2>&1 | filecheck %s --check-prefix=NAME

// CHECK: split-reduction: expected the names of loops and two or more parts, as in "loops=k parts=4"
// NAME: split-reduction: no loop is named 'zz'; the module has the loops n
func.func private @f(%x: memref<8xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 8 {
    %a = loop.load %x[%n] : memref<8xf32>
    loop.store %a, %x[%n] : memref<8xf32>
  }
  return
}
