// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @if_c1(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{graph.if: the second body takes (); the operands are (tensor<4xf32>) (if_c1)}}
  %0 = graph.if %c using (%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } else {
    graph.yield
  }
  return
}

// -----

func.func @if_c2(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{graph.if: a body does not end in graph.yield (if_c2)}}
  graph.if %c using () : () -> () {
    ub.unreachable
  } else {
    graph.yield
  }
  return
}

// -----

func.func @if_c3(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{graph.if: the second body yields (); the results are (tensor<4xf32>) (if_c3)}}
  %0 = graph.if %c using (%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } else {
  ^bb1(%a: tensor<4xf32>):
    graph.yield
  }
  return
}

// -----

func.func @if_condition(%c: tensor<1xi1>) {
  // expected-error @+1 {{tensor<1xi1>}}
  "graph.if"(%c) ({
    graph.yield
  }, {
    graph.yield
  }) : (tensor<1xi1>) -> ()
  return
}

// -----

func.func @while_c1(%x: tensor<4xf32>, %c: tensor<i1>) {
  // expected-error @+1 {{graph.while: the condition takes (tensor<4xf32>); the operands are (tensor<4xf32>, tensor<i1>) (while_c1)}}
  %0 = graph.while carry (%x) using (%c) : (tensor<4xf32>), (tensor<i1>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.constant dense<false> : tensor<i1>
    graph.yield %1 : tensor<i1>
  } do {
  ^bb1(%a: tensor<4xf32>, %b: tensor<i1>):
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @while_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{graph.while: a body does not end in graph.yield (while_c2)}}
  %0 = graph.while carry (%x) using () : (tensor<4xf32>), () -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    ub.unreachable
  } do {
  ^bb1(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @while_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{graph.while: the condition yields (tensor<4xf32>); required: (tensor<i1>) (while_c3)}}
  %0 = graph.while carry (%x) using () : (tensor<4xf32>), () -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } do {
  ^bb1(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @while_c4(%x: tensor<4xf32>, %c: tensor<i1>) {
  // expected-error @+1 {{graph.while: the body yields (tensor<i1>); what it carries is (tensor<4xf32>) (while_c4)}}
  %0 = graph.while carry (%x) using (%c) : (tensor<4xf32>), (tensor<i1>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<i1>):
    graph.yield %b : tensor<i1>
  } do {
  ^bb1(%a: tensor<4xf32>, %b: tensor<i1>):
    graph.yield %b : tensor<i1>
  }
  return
}
