// RUN: mlc-opt %s --print-debuginfo | filecheck %s
// RUN: mlc-opt %s --print-debuginfo | mlc-opt --print-debuginfo | filecheck %s
// RUN: mlc-opt %s --print-debuginfo --print-op-generic | mlc-opt --print-debuginfo | filecheck %s

// Locations as mlir-opt writes them: those of operations have aliases that are defined at the end of the file, each
// behind the ones in it; arguments of regions have theirs in place, or by aliases that are defined in front. Of a range
// the beginning is kept.

#early = loc("early":1:1 to 3:4)
#map = affine_map<(d0) -> (d0)>
module {
  // CHECK: func.func private @declared(f32) -> f32 loc("m.py":1:2)
  func.func private @declared(f32) -> f32 loc(#loc1)
  // CHECK: func.func @all(%a: f32 loc("early":1:1), %b: memref<4xf32> {t.x} loc("later":2:2)) -> f32 {
  func.func @all(%a: f32 loc(#early), %b: memref<4xf32> {t.x} loc(#late)) -> f32 {
    // CHECK-NEXT: arith.constant 0 : index loc(unknown)
    %c0 = arith.constant 0 : index loc(#unknown)
    // CHECK-NEXT: arith.negf {{.*}} loc("named"("m.py":1:2))
    %n = arith.negf %a : f32 loc(#named)
    // CHECK-NEXT: arith.negf {{.*}} loc("alone")
    %o = arith.negf %a : f32 loc("alone")
    // CHECK-NEXT: arith.negf {{.*}} loc(callsite("named"("m.py":1:2) at "early":1:1))
    %p = arith.negf %a : f32 loc(#call)
    // CHECK-NEXT: arith.negf {{.*}} loc(fused["early":1:1, callsite("named"("m.py":1:2) at "early":1:1)])
    %q = arith.negf %a : f32 loc(#fused)
    // CHECK-NEXT: arith.negf {{.*}} loc(fused<{pass = "cse"}>["early":1:1])
    %r = arith.negf %a : f32 loc(fused<{pass = "cse"}>[#early])
    // CHECK-NEXT: cf.br ^{{.*}} loc(fused[])
    cf.br ^bb1(%r : f32) loc(#nothing)
  // CHECK-NEXT: ^{{.*}}(%s: f32 loc("later":2:2)):
  ^bb1(%s: f32 loc(#late)):
    // CHECK-NEXT: affine.for %{{.*}} loc("early":1:1) = 0 to 4 {
    affine.for %i loc(#early) = 0 to 4 {
      // CHECK-NEXT: affine.store {{.*}} loc("m.py":1:2)
      affine.store %s, %b[%i] : memref<4xf32> loc(#loc1)
    // CHECK-NEXT: } loc("m.py":1:2)
    } loc(#loc1)
    // CHECK-NEXT: func.return {{.*}} loc("m.py":1:2)
    return %s : f32 loc(#loc1)
  // CHECK-NEXT: } loc("m.py":1:2)
  } loc(#loc1)
  func.func @regions(%m: tensor<4x4xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
    // CHECK: ^{{.*}}(%{{.*}}: f32 loc("m.py":1:2), %{{.*}}: f32 loc("later":2:2)):
    ^bb0(%in: f32 loc(#loc1), %out: f32 loc(#late)):
      linalg.yield %in : f32 loc(#loc1)
    } -> tensor<4xf32> loc(#named)
    // CHECK: linalg.reduce
    // CHECK: (%{{.*}}: f32 loc("m.py":1:2), %{{.*}}: f32 loc("later":2:2)) {
    %1 = linalg.reduce ins(%m : tensor<4x4xf32>) outs(%0 : tensor<4xf32>) dimensions = [1]
      (%in: f32 loc(#loc1), %out: f32 loc(#late)) { linalg.yield %in : f32 }
    return %1 : tensor<4xf32>
  }
// CHECK: } loc("module")
} loc(#loc)
#loc = loc("module")
#loc1 = loc("m.py":1:2)
#late = loc("later":2:2 to :9)
// Its name in a comment and in a string is no definition: #unknown = loc("wrong").
#unknown = loc(unknown)
#named = loc("named"(#loc1))
#call = loc(callsite(#named at #early))
#fused = loc(fused[#early, #call])
#nothing = loc(fused[])
