// RUN: mlc-opt %s --expand-math=precision=bf16 --target=sapphirerapids --check-each | filecheck %s --check-prefixes=CHECK,KEPT
// RUN: mlc-opt %s --expand-math=precision=bf16 --target=znver4 | filecheck %s --check-prefixes=CHECK,KEPT
// RUN: mlc-opt %s --expand-math --target=sapphirerapids --check-each | filecheck %s --check-prefixes=CHECK,EXACT
// RUN: mlc-opt %s --expand-math=precision=keep --target=sapphirerapids | filecheck %s --check-prefixes=CHECK,EXACT
// RUN: mlc-opt %s --expand-math=precision=bf16 --target=icelake-server | filecheck %s --check-prefixes=CHECK,EXACT
// RUN: mlc-opt %s --expand-math=precision=bf16 --target=neoverse-v1 | filecheck %s --check-prefixes=CHECK,EXACT
// RUN: not mlc-opt %s --expand-math=precision=f8 2>&1 | filecheck %s --check-prefix=WRONG
// WRONG: error: expand-math: found precision 'f8'; required: f32, bf16 or keep

// An instruction rounds vectors that registers hold, and makes 0 of subnormal numbers. Scalars, other lanes, and f16 are
// rounded as without it.

// CHECK-LABEL: @vectors
// KEPT:        arith.truncf %a : vector<4xf32> to vector<4xbf16>
// KEPT-NEXT:   arith.truncf %b : vector<32xf32> to vector<32xbf16>
// EXACT-NOT:   arith.truncf {{.*}}bf16>
func.func @vectors(%a: vector<4xf32>, %b: vector<32xf32>) -> (vector<4xbf16>, vector<32xbf16>) {
  %0 = arith.truncf %a : vector<4xf32> to vector<4xbf16>
  %1 = arith.truncf %b : vector<32xf32> to vector<32xbf16>
  return %0, %1 : vector<4xbf16>, vector<32xbf16>
}

// CHECK-LABEL: @others
// CHECK-NOT:   arith.truncf {{.*}}bf16
func.func @others(%a: f32, %b: vector<6xf32>, %c: vector<8x2xf32>) -> (bf16, vector<6xbf16>, vector<8x2xbf16>) {
  %0 = arith.truncf %a : f32 to bf16
  %1 = arith.truncf %b : vector<6xf32> to vector<6xbf16>
  %2 = arith.truncf %c : vector<8x2xf32> to vector<8x2xbf16>
  return %0, %1, %2 : bf16, vector<6xbf16>, vector<8x2xbf16>
}
