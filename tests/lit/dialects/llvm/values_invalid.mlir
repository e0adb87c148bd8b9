// Operands, results and globals are of types that LLVM has.
// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{llvm.load: result 0 is of type tensor<4xf32>, which LLVM does not have}}
  %0 = llvm.load %p : !llvm.ptr -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: !llvm.ptr, %t: tensor<4xf32>) {
  // expected-error @+1 {{llvm.store: operand 0 is of type tensor<4xf32>, which LLVM does not have}}
  llvm.store %t, %p : tensor<4xf32>, !llvm.ptr
  return
}

// -----

llvm.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{llvm.load: result 0 is of type si32, which LLVM does not have}}
  %0 = llvm.load %p : !llvm.ptr -> si32
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{llvm.load: result 0 is of type f8E5M2, which LLVM does not have}}
  %0 = llvm.load %p : !llvm.ptr -> f8E5M2
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{llvm.load: result 0 is of type complex<f32>, which LLVM does not have}}
  %0 = llvm.load %p : !llvm.ptr -> complex<f32>
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{llvm.load: result 0 is of type vector<2x2xf32>, which LLVM does not have}}
  %0 = llvm.load %p : !llvm.ptr -> vector<2x2xf32>
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{llvm.load: result 0 is of type !llvm.void, which LLVM does not have}}
  %0 = llvm.load %p : !llvm.ptr -> !llvm.void
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error @+1 {{llvm.mlir.undef: result 0 is of type index, which LLVM does not have}}
  %0 = llvm.mlir.undef : index
  llvm.return
}

// -----

llvm.func @f(%a: i32) {
  // expected-error @+1 {{'llvm.fadd': operand 'lhs' is of type i32; required: a float type or a vector type}}
  %0 = "llvm.fadd"(%a, %a) : (i32, i32) -> i32
  llvm.return
}

// -----

func.func @f(%a: index) {
  // expected-error @+1 {{'llvm.add': operand 'lhs' is of type index; required: a vector type or an integer type}}
  %0 = llvm.add %a, %a : index
  return
}

// -----

// expected-error @+1 {{llvm.mlir.global: the global is of type index, which LLVM does not have}}
llvm.mlir.global internal @g() : index

// -----

llvm.func @f(%a: f32) {
  // expected-error @+1 {{llvm.sitofp: goes from integers to floats, got f32 to f32}}
  %0 = llvm.sitofp %a : f32 to f32
  llvm.return
}

// -----

llvm.func @f(%a: i32) {
  // expected-error @+1 {{llvm.uitofp: goes from integers to floats, got i32 to i32}}
  %0 = llvm.uitofp %a : i32 to i32
  llvm.return
}

// -----

llvm.func @f(%a: vector<4xi32>) {
  // expected-error @+1 {{llvm.fptosi: goes from floats to integers, got vector<4xi32> to vector<4xi32>}}
  %0 = llvm.fptosi %a : vector<4xi32> to vector<4xi32>
  llvm.return
}

// -----

llvm.func @f(%a: i32) {
  // expected-error @+1 {{llvm.fptoui: goes from floats to integers, got i32 to i64}}
  %0 = llvm.fptoui %a : i32 to i64
  llvm.return
}

// -----

llvm.func @f(%a: f32) {
  // expected-error @+1 {{llvm.fpext: goes from floats to floats, got f32 to i64}}
  %0 = llvm.fpext %a : f32 to i64
  llvm.return
}

// -----

llvm.func @f(%a: i32) {
  // expected-error @+1 {{llvm.fptrunc: goes from floats to floats, got i32 to f16}}
  %0 = llvm.fptrunc %a : i32 to f16
  llvm.return
}
