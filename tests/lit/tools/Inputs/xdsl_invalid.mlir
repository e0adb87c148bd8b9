// CHECK:      Inputs/xdsl_invalid.mlir:6:24
// CHECK-NEXT: "test.op"() : () -> i32, f32
// CHECK-NEXT: ^
// CHECK-NEXT: expected an operation

"test.op"() : () -> i32, f32

// -----

// CHECK: xdsl_invalid.mlir:12:16
// CHECK: '%x' is not defined
%y = "test.op"(%x) : (i32) -> i32
