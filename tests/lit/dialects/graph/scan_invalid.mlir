// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{graph.scan: -1 steps; required: 0 or more (scan_c1)}}
  %0 = graph.scan -1 carry (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @c2(%xs: tensor<4x2xf32>) {
  // expected-error @+1 {{graph.scan: a row of tensor<4x2xf32> in each of 5 steps; required: 5 as its first extent (scan_c2)}}
  %0 = graph.scan 5 over (%x = %xs) : (tensor<4x2xf32>) -> tensor<5x2xf32> {
    graph.yield %x : tensor<2xf32>
  }
  return
}

// -----

func.func @c2_scalar(%xs: tensor<f32>) {
  // expected-error @+1 {{graph.scan: a row of tensor<f32> in each of 5 steps; required: 5 as its first extent (scan_c2)}}
  %0 = graph.scan 5 over (%x = %xs) : (tensor<f32>) -> tensor<5xf32> {
    graph.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @c3(%xs: tensor<4x2xf32>) {
  // expected-error @+1 {{graph.scan: the body takes (tensor<4x2xf32>); the operands give (tensor<2xf32>) (scan_c3)}}
  %0 = "graph.scan"(%xs) <{trips = 4 : i64, backwards = array<i1: false, false>, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
  ^bb0(%x: tensor<4x2xf32>):
    graph.yield %x : tensor<4x2xf32>
  }) : (tensor<4x2xf32>) -> tensor<4x4x2xf32>
  return
}

// -----

func.func @c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{graph.scan: the body does not end in graph.yield (scan_c4)}}
  %0 = graph.scan 4 carry (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    ub.unreachable
  }
  return
}

// -----

func.func @c5(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  // expected-error @+1 {{graph.scan: the body yields (tensor<2xf32>); what it carries is (tensor<4xf32>); required: the next of these first, in their order (scan_c5)}}
  %0 = graph.scan 4 carry (%a = %x) using (%b = %y) : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32> {
    graph.yield %b : tensor<2xf32>
  }
  return
}

// -----

func.func @c6(%x: tensor<4xf32>) {
  // expected-error @+1 {{graph.scan: the results are (tensor<4xf32>, tensor<4x4xf32>); what the body yields gives (tensor<4xf32>, tensor<3x4xf32>) (scan_c6)}}
  %0:2 = graph.scan 3 carry (%a = %x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
    graph.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @c7(%x: tensor<4xf32>) {
  // expected-error @+1 {{graph.scan: 2 directions for 1 tensors that rows are taken from, and stacks (scan_c7)}}
  %0:2 = graph.scan 3 carry (%a = %x) stack (forwards, backwards) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
    graph.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

// expected-note @+1 {{defined here}}
func.func @sees_only_its_arguments(%x: tensor<4xf32>) {
  %0 = graph.scan 3 carry (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{%x}}
    %1 = graph.relu %x : tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @types(%x: tensor<4xf32>) {
  // expected-error @+1 {{1 operands, but 2 operand types; these must be as many}}
  %0 = graph.scan 3 carry (%a = %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @results(%x: tensor<4xf32>) {
  // expected-error @+1 {{1 carried values, but 0 result types}}
  graph.scan 3 carry (%a = %x) : (tensor<4xf32>) -> () {
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @directions(%x: tensor<4xf32>) {
  // expected-error @+1 {{backwards}}
  %0 = graph.scan 3 carry (%a = %x) stack (sideways) : (tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  return
}
