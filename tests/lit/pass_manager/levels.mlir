// RUN: not mlc-opt %s --split-input-file --convert-loop-to-llvm 2>&1 | filecheck %s
// RUN: not mlc-opt %s --split-input-file --convert-tensor-to-loop 2>&1 | filecheck %s --check-prefix=LOOPS
// RUN: not mlc-opt %s --split-input-file --convert-tensor-to-linalg 2>&1 | filecheck %s --check-prefix=LINALG
// RUN: not mlc-opt %s --split-input-file --convert-loop-to-scf 2>&1 | filecheck %s --check-prefix=SCF

// No pass runs another one: it names those that are missing, at the first op that they lower.

// CHECK: levels.mlir:{{[0-9]+}}:8: error: convert-loop-to-llvm: found graph.relu, of the graph level; run --lower-to-loops --expand-math --plan-memory first
// LOOPS: levels.mlir:{{[0-9]+}}:8: error: convert-tensor-to-loop: found graph.relu, of the graph level; run --lower-to-tensor first
// LINALG: levels.mlir:{{[0-9]+}}:8: error: convert-tensor-to-linalg: found graph.relu, of the graph level; run --lower-to-tensor first
// SCF: levels.mlir:{{[0-9]+}}:8: error: convert-loop-to-scf: found graph.relu, of the graph level; run --lower-to-loops first
func.func @graph(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: error: convert-loop-to-llvm: found tensor.map, of the tensor level; run --lower-to-loops --expand-math --plan-memory first
// SCF: error: convert-loop-to-scf: found tensor.map, of the tensor level; run --lower-to-loops first
func.func @tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %b = math.exp %a : f32
    tensor.yield %b : f32
  }
  return %0 : tensor<4xf32>
}

// -----

// CHECK: error: convert-loop-to-llvm: found func.func, of the tensor level; run --lower-to-loops --expand-math --plan-memory first
func.func @only_types(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// CHECK: error: convert-loop-to-llvm: found math.exp, which is more than an instruction; run --expand-math --plan-memory first
func.func private @math_and_buffer(%x: f32) {
  %t = memref.alloc() : memref<8xf32>
  %0 = math.exp %x : f32
  loop.store %0, %t[0] : memref<8xf32>
  return
}

// -----

// CHECK: error: convert-loop-to-llvm: found math.exp, which is more than an instruction; run --expand-math first
func.func private @math(%x: f32) {
  %0 = math.exp %x : f32
  return
}

// -----

// CHECK: error: convert-loop-to-llvm: found memref.alloc, but artifacts allocate nothing; run --plan-memory first
func.func private @buffer(%x: f32) {
  %t = memref.alloc() : memref<8xf32>
  loop.store %x, %t[0] : memref<8xf32>
  return
}

// -----

// What is one instruction needs no pass.
// CHECK: llvm.func
func.func private @root(%x: f32) {
  %0 = math.sqrt %x : f32
  return
}
