// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @f(%a: !llvm.array<1 x i32>) {
  // expected-error @+1 {{llvm.insertvalue: the part of !llvm.array<1 x i32> is i32, inserted is !llvm.array<1 x i32>}}
  %b = "llvm.insertvalue"(%a, %a) <{position = array<i64: 0>}> : (!llvm.array<1 x i32>, !llvm.array<1 x i32>) -> !llvm.array<1 x i32>
  return
}

// -----

func.func @f(%a: !llvm.array<4 x f32>) {
  // expected-error @+1 {{llvm.extractvalue: the part of !llvm.array<4 x f32> is f32, the result is f64}}
  %b = "llvm.extractvalue"(%a) <{position = array<i64: 1>}> : (!llvm.array<4 x f32>) -> f64
  return
}

// -----

func.func @f(%a: !llvm.array<4 x f32>) {
  // expected-error @+1 {{llvm.extractvalue: position 4 is not in !llvm.array<4 x f32>}}
  %b = "llvm.extractvalue"(%a) <{position = array<i64: 4>}> : (!llvm.array<4 x f32>) -> f32
  return
}

// -----

func.func @f(%a: !llvm.struct<(f32)>) {
  // expected-error @+1 {{llvm.extractvalue: f32 has no parts, position 0 asks for one}}
  %b = "llvm.extractvalue"(%a) <{position = array<i64: 0, 0>}> : (!llvm.struct<(f32)>) -> f32
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{llvm.mlir.constant: for !llvm.struct<(f64, f64)> the value is an array of two numbers, got 1.000000e+00 : f64}}
  %c = llvm.mlir.constant(1.0 : f64) : !llvm.struct<(f64, f64)>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{llvm.mlir.constant: !llvm.target<"a"> has no constants but llvm.mlir.zero}}
  %c = llvm.mlir.constant(0 : index) : !llvm.target<"a">
  return
}

// -----

func.func @f(%v: vector<[4]xf32>) {
  // expected-error @+1 {{llvm.shufflevector: for the scalable vector<[4]xf32> all numbers of the mask are equal}}
  %w = llvm.shufflevector %v, %v [0, 0, 0, 1] : vector<[4]xf32>
  return
}

// -----

llvm.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{llvm.load: 'access_groups' is a list of #llvm.access_group, got [@g]}}
  %x = llvm.load %p {access_groups = [@g]} : !llvm.ptr -> i32
  llvm.return
}

// -----

llvm.func @whole(%s: !llvm.struct<(i32, f32)>, %i: i32) {
  // expected-error @+1 {{llvm.insertvalue: !llvm.struct<(i32, f32)> becomes !llvm.struct<(i32, i32)>; both must be the same}}
  %0 = "llvm.insertvalue"(%s, %i) <{position = array<i64: 0>}> : (!llvm.struct<(i32, f32)>, i32) -> !llvm.struct<(i32, i32)>
  llvm.return
}
