// RUN: mlc-opt %s | mlc-opt | filecheck %s

llvm.func @f(%a: f32, %v: vector<4xf32>, %n: vector<4xi32>, %p: !llvm.ptr, %i: i64) {
  // CHECK: llvm.fptosi %a : f32 to i32
  %0 = llvm.fptosi %a : f32 to i32
  // CHECK-NEXT: llvm.uitofp %n : vector<4xi32> to vector<4xf32>
  %1 = llvm.uitofp %n : vector<4xi32> to vector<4xf32>
  // CHECK-NEXT: llvm.mlir.poison : vector<4xf32>
  %2 = llvm.mlir.poison : vector<4xf32>
  // CHECK-NEXT: llvm.extractelement %v[%i : i64] : vector<4xf32>
  %3 = llvm.extractelement %v[%i : i64] : vector<4xf32>
  // CHECK-NEXT: llvm.fcmp "olt" %v, %v : vector<4xf32>
  %4 = llvm.fcmp "olt" %v, %v : vector<4xf32>
  // CHECK-NEXT: llvm.fcmp "une" %a, %a {fastmathFlags = #llvm.fastmath<contract>} : f32
  %5 = llvm.fcmp "une" %a, %a {fastmathFlags = #llvm.fastmath<contract>} : f32
  // CHECK-NEXT: llvm.select %4, %v, %v : vector<4xi1>, vector<4xf32>
  %6 = llvm.select %4, %v, %v : vector<4xi1>, vector<4xf32>
  // CHECK-NEXT: llvm.intr.masked.load %p, %4, %n {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
  %7 = llvm.intr.masked.load %p, %4, %n {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
  // CHECK-NEXT: llvm.intr.masked.store %7, %p, %4 {alignment = 4 : i32} : vector<4xi32>, vector<4xi1> into !llvm.ptr
  llvm.intr.masked.store %7, %p, %4 {alignment = 4 : i32} : vector<4xi32>, vector<4xi1> into !llvm.ptr
  // CHECK-NEXT: llvm.br ^{{.*}} {loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>, unroll = <count = 4 : i32>>}
  llvm.br ^end {loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>, unroll = <count = 4 : i32>>}
^end:
  llvm.return
}
