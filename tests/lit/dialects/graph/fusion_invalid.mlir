// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{graph.fusion: the body takes (tensor<2xf32>); the operands are (tensor<4xf32>) (fusion_c1)}}
  %0 = "graph.fusion"(%x) <{kernel_name = "k"}> ({
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{graph.fusion: the body does not end in graph.yield (fusion_c2)}}
  %0 = graph.fusion "k" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    ub.unreachable
  }
  return
}

// -----

func.func @c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{graph.fusion: the body yields (tensor<4xf32>); the results are (tensor<2xf32>) (fusion_c3)}}
  %0 = graph.fusion "k" (%a = %x) : (tensor<4xf32>) -> tensor<2xf32> {
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

// expected-note @+1 {{defined here}}
func.func @sees_only_its_arguments(%x: tensor<4xf32>) {
  %0 = graph.fusion "k" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{%x}}
    %1 = graph.relu %x : tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @too_few_types(%x: tensor<4xf32>) {
  // expected-error @+1 {{1 operands, but 2 operand types; these must be as many}}
  %0 = graph.fusion "k" (%a = %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  return
}
