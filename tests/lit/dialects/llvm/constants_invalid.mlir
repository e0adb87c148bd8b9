// Constants are of the types of their values.
// RUN: mlc-opt %s --verify-diagnostics --split-input-file

llvm.func @f() {
  // expected-error @+1 {{llvm.mlir.constant: 1 : i32 needs an integer type, got f32}}
  %0 = llvm.mlir.constant(1 : i32) : f32
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error @+1 {{llvm.mlir.constant: 1 : i64 needs an integer type, got !llvm.ptr}}
  %0 = llvm.mlir.constant(1 : i64) : !llvm.ptr
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error @+1 {{llvm.mlir.constant: 1.000000e+00 : f32 needs a float type of LLVM or an integer type of 32 bits, got f64}}
  %0 = llvm.mlir.constant(1.0 : f32) : f64
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error @+1 {{llvm.mlir.constant: 1.000000e+00 : f64 needs a float type of LLVM or an integer type of 64 bits, got i32}}
  %0 = llvm.mlir.constant(1.0 : f64) : i32
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error @+1 {{llvm.mlir.constant: 1.000000e+00 : f8E5M2 needs a float type of LLVM or an integer type of 8 bits, got f8E5M2}}
  %0 = llvm.mlir.constant(1.0 : f8E5M2) : f8E5M2
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error @+1 {{llvm.mlir.constant: dense<1.000000e+00> : vector<4xf32> needs a vector or array type, got f32}}
  %0 = llvm.mlir.constant(dense<1.0> : vector<4xf32>) : f32
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error @+1 {{llvm.mlir.constant: 1 : index needs an integer type, got index}}
  %0 = llvm.mlir.constant(1 : index) : index
  llvm.return
}
