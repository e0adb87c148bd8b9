// RUN: mlc-opt %s --convert-linalg-to-tensor | filecheck %s

// Two tiles of four, and one of two, whose place is a number.
// CHECK-LABEL: @one_dim
// CHECK: arith.constant dense<[0, 4]> : tensor<2xi64>
// CHECK-NEXT: %[[MAIN:.*]] = tensor.scan 2 carry (%t = %x)
// CHECK: tensor.take %t[at0] at (at0 = %{{.*}}[n]) over (n: 4)
// CHECK-NOT: affine.min
// CHECK: %[[TILE:.*]] = tensor.map %[[MAIN]][n + 8] over (n: 2)
// CHECK: %[[LAST:.*]] = tensor.map %[[TILE]][n] over (n: 2)
// CHECK: %[[FIRST:.*]] = tensor.extract_slice %[[MAIN]][0] [8] [1]
// CHECK-NEXT: tensor.concat dim(0) %[[FIRST]], %[[LAST]]
// CHECK-NOT: affine.min
// CHECK: func.return
func.func @one_dim(%x: tensor<10xf32>) -> tensor<10xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %r = scf.for %i = %c0 to %c10 step %c4 iter_args(%t = %x) -> (tensor<10xf32>) {
    %n = affine.min affine_map<(d0) -> (-d0 + 10, 4)>(%i)
    %s = tensor.extract_slice %t[%i] [%n] [1] : tensor<10xf32> to tensor<?xf32>
    %y = math.exp %s : tensor<?xf32>
    %w = tensor.insert_slice %y into %t[%i] [%n] [1] : tensor<?xf32> into tensor<10xf32>
    scf.yield %w : tensor<10xf32>
  }
  return %r : tensor<10xf32>
}

// What a later group of iterations reads of the shared output is what was there before all of them.
// CHECK-LABEL: @forall
// CHECK: tensor.map %x[t0 * 4 + 1 + n] over (t0: 2, n: 4)
// CHECK: tensor.map %x[n + 9] over (t0: 1, n: 2)
// CHECK-NOT: scf.forall
func.func @forall(%x: tensor<12xf32>) -> tensor<12xf32> {
  %r = scf.forall (%i) in (3) shared_outs(%o = %x) -> (tensor<12xf32>) {
    %n = affine.min affine_map<(d0) -> (d0 * -4 + 10, 4)>(%i)
    %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
    %next = affine.apply affine_map<(d0) -> (d0 * 4 + 1)>(%i)
    %s = tensor.extract_slice %o[%next] [%n] [1] : tensor<12xf32> to tensor<?xf32>
    %y = math.exp %s : tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%at] [%n] [1] : tensor<?xf32> into tensor<12xf32>
    }
  }
  return %r : tensor<12xf32>
}

// Sizes by arithmetic, and tiles that do divide the extent: nothing is split.
// CHECK-LABEL: @even
// CHECK: tensor.scan 2 carry
// CHECK-NOT: tensor.scan
// CHECK: func.return
func.func @even(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c4 iter_args(%t = %x) -> (tensor<8xf32>) {
    %left = arith.subi %c8, %i : index
    %n = arith.minsi %left, %c4 : index
    %e = tensor.empty(%n) : tensor<?xf32>
    %s = tensor.extract_slice %t[%i] [%n] [1] : tensor<8xf32> to tensor<?xf32>
    %y = linalg.exp ins(%s : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %w = tensor.insert_slice %y into %t[%i] [%n] [1] : tensor<?xf32> into tensor<8xf32>
    scf.yield %w : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// Tiles by numbers of threads, as `tile_using_forall … num_threads [4]` writes them: a size is never below zero.
// CHECK-LABEL: @threads
// CHECK: tensor.map %x[t0 * 3 + n] over (t0: 3, n: 3)
// CHECK: tensor.map %x[n + 9] over (t0: 1, n: 1)
// CHECK-NOT: affine.max
// CHECK: func.return
func.func @threads(%x: tensor<10xf32>) -> tensor<10xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %x) -> (tensor<10xf32>) {
    %left = affine.min affine_map<(d0) -> (d0 * -3 + 10, 3)>(%i)
    %n = affine.max affine_map<(d0) -> (0, d0)>(%left)
    %at = affine.apply affine_map<(d0) -> (d0 * 3)>(%i)
    %s = tensor.extract_slice %o[%at] [%n] [1] : tensor<10xf32> to tensor<?xf32>
    %y = math.exp %s : tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%at] [%n] [1] : tensor<?xf32> into tensor<10xf32>
    }
  }
  return %r : tensor<10xf32>
}

// The largest of values of which one depends on the data.
// CHECK-LABEL: @largest
// CHECK: arith.maxsi
// CHECK: tensor.take
func.func @largest(%x: tensor<10xf32>, %at: tensor<i64>) -> tensor<2xf32> {
  %e = tensor.extract %at[] : tensor<i64>
  %i = arith.index_cast %e : i64 to index
  %p = affine.max affine_map<(d0)[s0] -> (0, d0 - s0)>(%i)[%i]
  %s = tensor.extract_slice %x[%p] [2] [1] : tensor<10xf32> to tensor<2xf32>
  return %s : tensor<2xf32>
}
