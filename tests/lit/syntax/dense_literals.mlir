// RUN: mlc-opt %s | filecheck %s

// CHECK: arith.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>
%nested = arith.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>
// CHECK: arith.constant dense<2.500000e+00> : vector<4xf32>
%splat = arith.constant dense<2.5> : vector<4xf32>
// CHECK: arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
%bytes = arith.constant dense<"0x0000803F00000040"> : tensor<2xf32>
// CHECK: arith.constant dense<0xff800000> : tensor<3xf32>
%bits = arith.constant dense<0xFF800000> : tensor<3xf32>
// CHECK: arith.constant dense<[true, false]> : tensor<2xi1>
%booleans = arith.constant dense<[true, false]> : tensor<2xi1>
// CHECK: arith.constant dense<> : tensor<0xi64>
%empty = arith.constant dense<> : tensor<0xi64>
// The body of an llvm.mlir.constant has a hand-written parser; the literal in it is the same.
// CHECK: llvm.mlir.constant(dense<0xff800000> : vector<8xf32>) : vector<8xf32>
%handed_over = llvm.mlir.constant(dense<0xff800000> : vector<8xf32>) : vector<8xf32>
