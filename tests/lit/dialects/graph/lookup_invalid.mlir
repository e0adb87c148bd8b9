// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @short(%x: tensor<4xui8>) {
  // expected-error @+1 {{graph.lookup: the table is tensor<16xui8>; required: 256 integers of 8 bits}}
  %a = graph.lookup %x in dense<7> : tensor<16xui8> : tensor<4xui8> -> tensor<4xui8>
  return
}

// -----

func.func @floats(%x: tensor<4xui8>) {
  // expected-error @+1 {{graph.lookup: the table is tensor<256xf32>; required: 256 integers of 8 bits}}
  %a = graph.lookup %x in dense<7.0> : tensor<256xf32> : tensor<4xui8> -> tensor<4xf32>
  return
}

// -----

func.func @result(%x: tensor<4xui8>) {
  // expected-error @+1 {{graph.lookup: the result type is tensor<4xi8>, the operands give tensor<4xui8>; correct the type after '->'}}
  %a = graph.lookup %x in dense<7> : tensor<256xui8> : tensor<4xui8> -> tensor<4xi8>
  return
}
