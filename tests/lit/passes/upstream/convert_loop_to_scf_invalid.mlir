// RUN: mlc-opt %s --convert-loop-to-scf --split-input-file --verify-diagnostics

func.func private @packed(%x: memref<64xi1>) {
  // expected-error @+1 {{loop.load: upstream packs vectors of i1 into bits, buffers here have a byte for each; convert before loops are vectorized}}
  %v = loop.load %x[0] : memref<64xi1>, vector<16xi1>
  return
}

// -----

func.func private @column(%x: memref<4x4xf32>) {
  // expected-error @+1 {{loop.load: upstream has no vector of elements that are apart; convert before loops are vectorized}}
  %v = loop.load %x[0, 1] along 0 : memref<4x4xf32>, vector<4xf32>
  return
}

// -----

// expected-error @+1 {{'llvm.func' cannot be converted to scf: no pattern of convert-loop-to-scf takes it}}
llvm.func @too_low() {
  llvm.return
}
