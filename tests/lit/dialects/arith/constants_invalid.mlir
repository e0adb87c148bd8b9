// RUN: mlc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{arith.constant: the scalable vector<[2]xi32> holds one number in all lanes, got dense<[0, 1]> : vector<[2]xi32>}}
%c = arith.constant dense<[0, 1]> : vector<[2]xi32>

// -----

// expected-error @+1 {{arith.constant: the scalable vector<[2]xf32> holds one number in all lanes, got dense<"0x0000000000000080"> : vector<[2]xf32>}}
%c = arith.constant dense<[0.0, -0.0]> : vector<[2]xf32>

// -----

func.func @f(%x: tensor<2xf32, "a">) {
  // expected-error @+1 {{arith.extf: tensor<2xf32, "a"> becomes tensor<2xf64, "b">; both must have the same encoding}}
  %0 = arith.extf %x : tensor<2xf32, "a"> to tensor<2xf64, "b">
  return
}
