// RUN: not mlc-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: llvm.select: the condition is vector<2xi1>, a choice of vector<4xf32> requires i1 or vector<4xi1>
llvm.func @f(%c: vector<2xi1>, %v: vector<4xf32>) {
  %0 = llvm.select %c, %v, %v : vector<2xi1>, vector<4xf32>
  llvm.return
}

// -----

// CHECK: llvm.fcmp: the result is i1, operands like these require vector<4xi1>
llvm.func @g(%v: vector<4xf32>) {
  %0 = "llvm.fcmp"(%v, %v) <{predicate = 1 : i64, fastmathFlags = #llvm.fastmath<none>}> : (vector<4xf32>, vector<4xf32>) -> i1
  llvm.return
}

// -----

// CHECK: unknown predicate 'lt' of llvm.fcmp
llvm.func @h(%a: f32) {
  %0 = llvm.fcmp "lt" %a, %a : f32
  llvm.return
}
