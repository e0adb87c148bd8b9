// RUN: mlc-opt %s --convert-linalg-to-tensor | filecheck %s
// RUN: mlc-opt %s --lower-to-loops --check-each

// CHECK-LABEL: @computed
// CHECK-NEXT: func.return %x
func.func @computed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = tensor.extract_slice %x[2] [0] [1] : tensor<4xf32> to tensor<0xf32>
  %y = math.exp %s : tensor<0xf32>
  %w = tensor.insert_slice %y into %x[2] [0] [1] : tensor<0xf32> into tensor<4xf32>
  return %w : tensor<4xf32>
}

// The last iteration has no elements, and changes nothing.
// CHECK-LABEL: @last_tile
// CHECK: tensor.scan 2 carry
// CHECK-NOT: n: 0
// CHECK: func.return
func.func @last_tile(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %r = scf.for %i = %c0 to %c12 step %c4 iter_args(%t = %x) -> (tensor<8xf32>) {
    %n = affine.min affine_map<(d0) -> (-d0 + 8, 4)>(%i)
    %s = tensor.extract_slice %t[%i] [%n] [1] : tensor<8xf32> to tensor<?xf32>
    %y = math.exp %s : tensor<?xf32>
    %w = tensor.insert_slice %y into %t[%i] [%n] [1] : tensor<?xf32> into tensor<8xf32>
    scf.yield %w : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// Of six threads, the last has nothing to do.
// CHECK-LABEL: @threads
// CHECK: tensor.map %x[t0 * 2 + n] over (t0: 5, n: 2)
// CHECK-NEXT: ^
// CHECK-NOT: tensor.map %x
// CHECK: func.return
func.func @threads(%x: tensor<10xf32>) -> tensor<10xf32> {
  %r = scf.forall (%i) in (6) shared_outs(%o = %x) -> (tensor<10xf32>) {
    %left = affine.min affine_map<(d0) -> (d0 * -2 + 10, 2)>(%i)
    %n = affine.max affine_map<(d0) -> (0, d0)>(%left)
    %at = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %s = tensor.extract_slice %o[%at] [%n] [1] : tensor<10xf32> to tensor<?xf32>
    %y = math.exp %s : tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%at] [%n] [1] : tensor<?xf32> into tensor<10xf32>
    }
  }
  return %r : tensor<10xf32>
}

// Reductions of nothing are what was there; what has elements besides stays.
// CHECK-LABEL: @others
// CHECK: tensor.concat dim(0) %x, %z
// CHECK: tensor.pad %z
// CHECK-NOT: tensor.reduce
// CHECK-NOT: tensor.contract
// CHECK: func.return
func.func @others(%x: tensor<4xf32>, %z: tensor<0xf32>, %m: tensor<0x3xf32>)
    -> (tensor<4xf32>, tensor<3xf32>, tensor<5xf32>, tensor<2x3xf32>) {
  %c = tensor.concat dim(0) %x, %z : (tensor<4xf32>, tensor<0xf32>) -> tensor<4xf32>
  %zero = arith.constant 1.5 : f32
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %r = linalg.reduce { arith.addf } ins(%m : tensor<0x3xf32>) outs(%f : tensor<3xf32>) dimensions = [0]
  %p = tensor.pad %z low[2] high[3] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<0xf32> to tensor<5xf32>
  %a = tensor.empty() : tensor<2x0xf32>
  %e2 = tensor.empty() : tensor<2x3xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x3xf32>) -> tensor<2x3xf32>
  %mm = linalg.matmul ins(%a, %m : tensor<2x0xf32>, tensor<0x3xf32>) outs(%f2 : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %c, %r, %p, %mm : tensor<4xf32>, tensor<3xf32>, tensor<5xf32>, tensor<2x3xf32>
}
