// RUN: mlc-opt %s --convert-scf-to-loop --split-input-file --verify-diagnostics

func.func @step(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{'scf.for' has the step 0; required: a positive number}}
  scf.for %i = %c0 to %c4 step %c0 {
  }
  return
}

// -----

func.func @outside(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  affine.for %i = 0 to 4 {
    // expected-error @+1 {{affine.load: subscript 0 runs from 1 to 4, outside of memref<4xf32>; required: an element of the buffer}}
    %a = affine.load %x[%i + 1] : memref<4xf32>
    affine.store %a, %y[%i] : memref<4xf32>
  }
  return
}

// -----

func.func @layout(%x: memref<4x4xf32, strided<[8, 1]>>, %y: memref<4xf32> {mlc.output}) {
  affine.for %i = 0 to 4 {
    // expected-error @+1 {{affine.load: found memref<4x4xf32, strided<[8, 1]>>; required: a static shape and no layout}}
    %a = affine.load %x[%i, 0] : memref<4x4xf32, strided<[8, 1]>>
    affine.store %a, %y[%i] : memref<4xf32>
  }
  return
}

// -----

func.func @dependent(%y: memref<5xf32> {mlc.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error-re @+1 {{iterations of a parallel loop of scf depend on each other: {{.*}}}}
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %j = arith.addi %i, %c1 : index
    %a = memref.load %y[%i] : memref<5xf32>
    memref.store %a, %y[%j] : memref<5xf32>
    scf.reduce
  }
  return
}

// -----

func.func @shared(%x: tensor<8xf32>, %p: tensor<1xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{scf.forall: found shared outputs, which are tensors; required: stores to buffers}}
  %0 = scf.forall (%i) in (8) shared_outs(%o = %x) -> tensor<8xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @dependent(%y: memref<5xf32> {mlc.output}) {
  // expected-error-re @+1 {{iterations of a parallel loop of scf depend on each other: {{.*}}}}
  scf.forall (%i) in (4) {
    %c1 = arith.constant 1 : index
    %j = arith.addi %i, %c1 : index
    %a = memref.load %y[%i] : memref<5xf32>
    memref.store %a, %y[%j] : memref<5xf32>
  }
  return
}

// -----

func.func @unknown_extent(%x: memref<?xf32>) {
  // expected-error @+1 {{linalg.exp: found memref<?xf32>; required: a static shape and no layout}}
  linalg.exp ins(%x : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}

// -----

func.func @layout(%x: memref<4xf32, strided<[2]>>) {
  // expected-error @+1 {{linalg.exp: found memref<4xf32, strided<[2]>>; required: a static shape and no layout}}
  linalg.exp ins(%x : memref<4xf32, strided<[2]>>) outs(%x : memref<4xf32, strided<[2]>>)
  return
}

// -----

func.func @copy(%x: memref<?xf32>, %y: memref<?xf32> {mlc.output}) {
  // expected-error @+1 {{memref.copy: found memref<?xf32>; required: a static shape and no layout}}
  memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  return
}
