// RUN: mlc-opt %s --emit=dot:ops | filecheck %s --check-prefix=OPS
// RUN: mlc-opt %s --emit=dot:calls | filecheck %s --check-prefix=CALLS
// RUN: mlc-opt %s --emit=dot:dominance | filecheck %s --check-prefix=DOMINANCE
// RUN: mlc-opt %s --emit=svg:ops | filecheck %s --check-prefix=SVG
// RUN: not mlc-opt %s --emit=svg:loops 2>&1 | filecheck %s --check-prefix=WRONG

// OPS:       subgraph cluster_0 {
// OPS-NEXT:    label="@main"
// OPS-NEXT:    n0_0 [label="%x\ntensor<2x3xf32>"
// OPS-NEXT:    n0_1 [label="graph.fusion, 3 inside\ntensor<2x3xf32>\n%w: tensor<3x3xf32>"
// OPS-NEXT:    n0_2 [label="func.call\ntensor<2x3xf32>"
// OPS-NEXT:    n0_3 [label="func.return"
// OPS-NEXT:    n0_0 -> n0_1
// OPS-NEXT:    n0_1 -> n0_2
// OPS-NEXT:    n0_0 -> n0_2
// OPS-NEXT:    n0_2 -> n0_3
// OPS-NEXT:  }
// OPS:         label="@looping"

// CALLS:     label="calls"
// CALLS-NEXT:  n0_0 [label="@main\n7 ops"
// CALLS-NEXT:  n0_1 [label="@elsewhere\nwithout a body"
// CALLS-NEXT:  n0_2 [label="@looping\n5 ops"
// CALLS-NEXT:  n0_0 -> n0_1
// CALLS-NEXT:  n0_2 -> n0_2 [label="2 times"]

// DOMINANCE: label="func.func @looping"
// DOMINANCE-NEXT: [label="^bb0\n1 op"
// DOMINANCE-NEXT: [label="^head\n2 ops"
// DOMINANCE-NEXT: [label="^exit\n2 ops"
// DOMINANCE-NEXT: n0_0 -> n0_1
// DOMINANCE-NEXT: n0_1 -> n0_2
// DOMINANCE-NEXT: n0_0 -> n0_1 [style=dashed constraint=false]
// DOMINANCE-NEXT: n0_1 -> n0_1 [style=dashed constraint=false]
// DOMINANCE-NEXT: n0_1 -> n0_2 [style=dashed constraint=false]

// SVG:      <svg xmlns="http://www.w3.org/2000/svg"
// SVG-SAME: role="img"
// SVG-SAME: <title>@main, @looping</title>
// SVG:      %w: tensor&lt;3x3xf32&gt;

// WRONG: there is no picture of 'loops' for --emit=svg:loops; it is one of ops, calls, dominance

func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %w = graph.constant dense<1.0> : tensor<3x3xf32>
  %0 = graph.fusion "both" (%a = %x, %b = %w) : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32> {
    %1 = graph.matmul %a, %b : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
    %2 = graph.relu %1 : tensor<2x3xf32>
    graph.yield %2 : tensor<2x3xf32>
  }
  %3 = func.call @elsewhere(%0, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}
func.func private @elsewhere(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @looping(%c: i1) -> i1 {
  cf.br ^head
^head:
  %0 = func.call @looping(%c) : (i1) -> i1
  cf.cond_br %0, ^head, ^exit
^exit:
  %1 = func.call @looping(%c) : (i1) -> i1
  return %1 : i1
}
