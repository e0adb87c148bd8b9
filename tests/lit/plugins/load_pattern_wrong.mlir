// RUN: not mlc-opt --load-pass %S/Inputs/pass_not_named.py %s 2>&1 | filecheck %s
// RUN: echo 'Relu = 1' > %t.py
// RUN: not mlc-opt --load-pass %t.py %s 2>&1 | filecheck %s --check-prefix=NOTHING

// Who forgets the pass of a pattern, or the decorator, reads how a pattern is written.
// CHECK: pass_not_named.py:10: error: plugin '{{.*}}pass_not_named.py' fails: TypeError: @lowers takes the name of a pass and then classes of ops: @lowers("convert-graph-to-tensor", MyOp)
// NOTHING: error: plugin '{{.*}}' exports no Pass,
// NOTHING-SAME: and no pattern; derive from mlc.pass_manager.base.Pass,
// NOTHING-SAME: a pattern is a class under @mlc.pass_manager.lowering.lowers("convert-graph-to-tensor", MyOp), with the pass it is for
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.relu %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
