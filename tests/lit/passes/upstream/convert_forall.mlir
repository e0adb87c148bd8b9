// RUN: mlc-opt %s --convert-linalg-to-tensor | filecheck %s
// RUN: mlc-opt %s -O3 --target x86-64-v3 --emit=mlir:tensor | filecheck %s --check-prefix=FUSED

// Tiles of a product, as upstream tiles it: all of them at once, and one kernel that reads no copy.
// CHECK-LABEL: @tiles
// CHECK: tensor.map %A[t0 * 4 + m, n] over (t0: 4, t1: 3, m: 4, n: 6)
// CHECK: tensor.map %B[m, t1 * 4 + n] over (t0: 4, t1: 3, m: 6, n: 4)
// CHECK: tensor.contract %{{.*}}[t0, t1, m, k], %{{.*}}[t0, t1, k, n] over (t0: 4, t1: 3, m: 4, n: 4) reduce (k: 6)
// CHECK: tensor.map %{{.*}}[t0, t1, s0, s1] over (t0: 4, s0: 4, t1: 3, s1: 4)
// CHECK: tensor.collapse_shape
// CHECK-NOT: scf.forall
// FUSED: tensor.contract %A[t0 * 4 + m, k], %B[k, t1 * 4 + n]
func.func @tiles(%A: tensor<16x6xf32>, %B: tensor<6x12xf32>) -> tensor<16x12xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x12xf32>
  %init = linalg.fill ins(%z : f32) outs(%e : tensor<16x12xf32>) -> tensor<16x12xf32>
  %0 = scf.forall (%i, %j) in (4, 3) shared_outs(%out = %init) -> (tensor<16x12xf32>) {
    %oi = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
    %oj = affine.apply affine_map<(d0) -> (d0 * 4)>(%j)
    %a = tensor.extract_slice %A[%oi, 0] [4, 6] [1, 1] : tensor<16x6xf32> to tensor<4x6xf32>
    %b = tensor.extract_slice %B[0, %oj] [6, 4] [1, 1] : tensor<6x12xf32> to tensor<6x4xf32>
    %c = tensor.extract_slice %out[%oi, %oj] [4, 4] [1, 1] : tensor<16x12xf32> to tensor<4x4xf32>
    %m = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %out[%oi, %oj] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<16x12xf32>
    }
  }
  return %0 : tensor<16x12xf32>
}

// Two rows of each iteration go behind the first one of the output, which stays; a number of each to another output.
// CHECK-LABEL: @rows
// CHECK: tensor.map %x[t0 * 2 + 1, n] over (t0: 3, n: 5)
// CHECK: tensor.reduce add
// CHECK: tensor.concat
func.func @rows(%x: tensor<8x5xf32>, %y: tensor<7x5xf32>) -> (tensor<7x5xf32>, tensor<3xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %part = tensor.empty() : tensor<f32>
  %0:2 = scf.forall (%i) in (3) shared_outs(%a = %y, %b = %e) -> (tensor<7x5xf32>, tensor<3xf32>) {
    %at = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i)
    %row = tensor.extract_slice %x[%at, 0] [1, 5] [1, 1] : tensor<8x5xf32> to tensor<5xf32>
    %two = tensor.extract_slice %x[%at, 0] [2, 5] [1, 1] : tensor<8x5xf32> to tensor<2x5xf32>
    %start = linalg.fill ins(%z : f32) outs(%part : tensor<f32>) -> tensor<f32>
    %s = linalg.reduce ins(%row : tensor<5xf32>) outs(%start : tensor<f32>) dimensions = [0]
      (%p: f32, %q: f32) {
        %t = arith.addf %p, %q : f32
        linalg.yield %t : f32
      }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %two into %a[%at, 0] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<7x5xf32>
      tensor.parallel_insert_slice %s into %b[%i] [1] [1] : tensor<f32> into tensor<3xf32>
    }
  }
  return %0#0, %0#1 : tensor<7x5xf32>, tensor<3xf32>
}

// A forall in a forall: tiles of tiles. The slices of the shared output are read as they were.
// CHECK-LABEL: @nested
// CHECK-NOT: scf.forall
func.func @nested(%x: tensor<16x12xf32>, %y: tensor<16x12xf32>) -> tensor<16x12xf32> {
  %0 = scf.forall (%i) = (0) to (16) step (8) shared_outs(%out = %y) -> (tensor<16x12xf32>) {
    %a = tensor.extract_slice %x[%i, 0] [8, 12] [1, 1] : tensor<16x12xf32> to tensor<8x12xf32>
    %c = tensor.extract_slice %out[%i, 0] [8, 12] [1, 1] : tensor<16x12xf32> to tensor<8x12xf32>
    %1 = scf.forall (%j, %k) in (4, 3) shared_outs(%inner = %c) -> (tensor<8x12xf32>) {
      %oj = affine.apply affine_map<(d0) -> (d0 * 2)>(%j)
      %ok = affine.apply affine_map<(d0) -> (d0 * 4)>(%k)
      %p = tensor.extract_slice %a[%oj, %ok] [2, 4] [1, 1] : tensor<8x12xf32> to tensor<2x4xf32>
      %q = tensor.extract_slice %inner[%oj, %ok] [2, 4] [1, 1] : tensor<8x12xf32> to tensor<2x4xf32>
      %r = linalg.mul ins(%p, %q : tensor<2x4xf32>, tensor<2x4xf32>) outs(%q : tensor<2x4xf32>) -> tensor<2x4xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %r into %inner[%oj, %ok] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<8x12xf32>
      }
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %out[%i, 0] [8, 12] [1, 1] : tensor<8x12xf32> into tensor<16x12xf32>
    }
  }
  return %0 : tensor<16x12xf32>
}
