// RUN: mlc-opt %s --convert-linalg-to-tensor | filecheck %s
// RUN: mlc-opt %s --lower-to-loops | filecheck %s --check-prefix=LOOPS
// RUN: mlc-opt %s --lower-to-loops --check-each 2>&1 | filecheck %s --check-prefix=CHECKED

// CHECKED: --check-each compared

// Slices that start at multiples of their size are tiles; the counter is a row of the scan.
// CHECK-LABEL: @tiles
// CHECK: tensor.scan 2 carry (%c = %x) over (%i = %{{.*}}) : (tensor<8xf32>, tensor<2xi64>) -> tensor<8xf32> {
// CHECK: %[[TILE:.*]] = tensor.map %i[] over ()
// CHECK: arith.divsi
// CHECK: %[[TILES:.*]] = tensor.expand_shape %c {{.*}} : tensor<8xf32> into tensor<2x4xf32>
// CHECK: %[[S:.*]] = tensor.take %[[TILES]][at0, n] at (at0 = %[[TILE]][]) over (n: 4)
// CHECK: %[[T:.*]] = tensor.map %[[S]][n]
// CHECK: tensor.put set %[[T]] into %{{.*}}[at0, n] at (at0 = %[[TILE]][]) over (n: 4)
// LOOPS-LABEL: @tiles
// LOOPS: loop.for serial "step" %{{.*}} = 0 to 2
func.func @tiles(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %y = scf.for %i = %c0 to %c8 step %c4 iter_args(%c = %x) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %c[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %t = arith.negf %s : tensor<4xf32>
    %u = tensor.insert_slice %t into %c[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// Others are read element by element; scalars, carried ones too, are tensors of rank 0.
// CHECK-LABEL: @scalars
// CHECK: tensor.scan 3 carry (%s = %{{.*}}) over (%i = %{{.*}}) using (%x_1 = %x)
// CHECK: %[[AT:.*]] = tensor.map %i[], %{{.*}}[n] over (n: 2)
// CHECK: tensor.take %x_1[at0] at (at0 = %[[AT]][n]) over (n: 2)
// CHECK: tensor.take %x_1[at0] at (at0 = %i[]) over ()
// CHECK-NOT: tensor.extract
// CHECK: tensor.yield %{{.*}} : tensor<f32>
func.func @scalars(%x: tensor<8xf32>) -> tensor<1xf32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %y = scf.for %i = %c1 to %c4 step %c1 iter_args(%s = %z) -> (f32) {
    %part = tensor.extract_slice %x[%i] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %a = tensor.extract %x[%i] : tensor<8xf32>
    %b = tensor.extract %part[%c1] : tensor<2xf32>
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    scf.yield %t : f32
  }
  %r = tensor.from_elements %y : tensor<1xf32>
  return %r : tensor<1xf32>
}

// Bounds that are values make a loop that compares.
// CHECK-LABEL: @to_a_value
// CHECK: tensor.while carry (%{{.*}}, %x) using (%n, %x)
// CHECK: arith.cmpi slt
// CHECK: } do {
func.func @to_a_value(%x: tensor<4xf32>, %n: tensor<index> {mlc.range = array<i64: -1, 5>}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<index>
  %r = scf.for %i = %c0 to %e step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %b = arith.addf %a, %x : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @branch
// CHECK: tensor.if %t using (%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
// LOOPS-LABEL: @branch
// LOOPS: scf.if
func.func @branch(%t: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %c = tensor.extract %t[] : tensor<i1>
  %c3 = arith.constant 3 : index
  %z = arith.constant 2.0 : f32
  %y:2 = scf.if %c -> (tensor<4xf32>, f32) {
    %0 = arith.addf %x, %x : tensor<4xf32>
    scf.yield %0, %z : tensor<4xf32>, f32
  } else {
    %1 = tensor.extract %x[%c3] : tensor<4xf32>
    scf.yield %x, %1 : tensor<4xf32>, f32
  }
  %s = tensor.splat %y#1 : tensor<2xf32>
  return %y#0, %s : tensor<4xf32>, tensor<2xf32>
}

// What the first region hands on is computed in the body, and once more after the loop.
// CHECK-LABEL: @while
// CHECK: tensor.while carry (%x) using (){{.*}} {
// CHECK: tensor.yield %{{.*}} : tensor<i1>
// CHECK: } do {
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK: tensor.yield
// CHECK: arith.addf
func.func @while(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %most = arith.constant 100.0 : f32
  %r = scf.while (%a = %x) : (tensor<4xf32>) -> (tensor<4xf32>) {
    %b = arith.addf %a, %a : tensor<4xf32>
    %e = tensor.extract %a[%c0] : tensor<4xf32>
    %p = arith.mulf %e, %e : f32
    %h = arith.constant 0.5 : f32
    %g = arith.addf %p, %h : f32
    %c = arith.cmpf olt, %h, %g : f32
    %d = arith.cmpf olt, %g, %most : f32
    %f = arith.andi %c, %d : i1
    scf.condition(%f) %b : tensor<4xf32>
  } do {
  ^bb0(%b: tensor<4xf32>):
    %m = arith.mulf %b, %b : tensor<4xf32>
    scf.yield %m : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// An offset that depends on data: iterations run one after the other.
// CHECK-LABEL: @forall
// CHECK: tensor.scan 3 carry
// CHECK: tensor.put set
func.func @forall(%x: tensor<9x2xf32>, %rows: tensor<3xi32>, %y: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %r = scf.forall (%i) in (3) shared_outs(%o = %y) -> (tensor<3x2xf32>) {
    %k = tensor.extract %rows[%i] : tensor<3xi32>
    %at = arith.index_cast %k : i32 to index
    %s = tensor.extract_slice %x[%at, 0] [1, 2] [1, 1] : tensor<9x2xf32> to tensor<1x2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<3x2xf32>
    }
  }
  return %r : tensor<3x2xf32>
}

// Loops on buffers are others.
// CHECK-LABEL: @buffers
// CHECK: scf.for
func.func @buffers(%x: memref<8xf32> {mlc.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %z, %x[%i] : memref<8xf32>
  }
  return
}

// CHECK-LABEL: @affine
// CHECK: tensor.scan 2 carry
// CHECK: tensor.if
func.func @affine(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = affine.for %i = 0 to 4 step 2 iter_args(%a = %x) -> (tensor<4xf32>) {
    %b = affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%i) -> tensor<4xf32> {
      %c = arith.addf %a, %x : tensor<4xf32>
      affine.yield %c : tensor<4xf32>
    } else {
      affine.yield %a : tensor<4xf32>
    }
    affine.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A scalar that others use than ops on elements is loaded.
// CHECK-LABEL: @padding
// CHECK: tensor.extract %x[]
// LOOPS-LABEL: @padding
// LOOPS: loop.load %x[] : memref<f32>
func.func @padding(%x: tensor<f32>, %y: tensor<4xf32>) -> tensor<6xf32> {
  %v = tensor.extract %x[] : tensor<f32>
  %q = tensor.pad %y low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %q : tensor<6xf32>
}

// What `scf.parallel` reduces is carried by a loop for each counter.
// CHECK-LABEL: @parallel
// CHECK: arith.constant dense<[0, 2, 4]> : tensor<3xi64>
// CHECK-NEXT: tensor.scan 3 carry (%l = %{{.*}}) over (%i = %{{.*}}) using
// CHECK: arith.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
// CHECK-NEXT: tensor.scan 4 carry (%{{.*}} = %l) over (%j = %{{.*}}) using
// CHECK: tensor.take %{{.*}} at (at0 = %{{.*}}[], at1 = %{{.*}}[])
// CHECK: arith.maximumf
// CHECK-NOT: scf.
func.func @parallel(%x: tensor<6x4xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %low = arith.constant 0xFF800000 : f32
  %m = scf.parallel (%i, %j) = (%c0, %c0) to (%c6, %c4) step (%c2, %c1) init (%low) -> f32 {
    %a = tensor.extract %x[%i, %j] : tensor<6x4xf32>
    scf.reduce(%a : f32) {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.maximumf %l, %r : f32
      scf.reduce.return %0 : f32
    }
  }
  %r = tensor.from_elements %m : tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: @execute_region
// CHECK: %[[Y:.*]] = tensor.map %x[n] over (n: 8)
// CHECK: %[[E:.*]] = tensor.map %[[Y]][3] over ()
// CHECK: func.return %[[Y]], %{{.*}} : tensor<8xf32>, tensor<f32>
// CHECK-NOT: scf.
func.func @execute_region(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %c3 = arith.constant 3 : index
  %y, %e = scf.execute_region -> (tensor<8xf32>, f32) {
    %z = arith.addf %x, %x : tensor<8xf32>
    %a = tensor.extract %z[%c3] : tensor<8xf32>
    scf.yield %z, %a : tensor<8xf32>, f32
  }
  %r = tensor.from_elements %e : tensor<f32>
  return %y, %r : tensor<8xf32>, tensor<f32>
}
