// Attributes of arguments and results stay where there is no body, too.
// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-debuginfo | mlc-opt | filecheck %s

// CHECK: func.func private @both(f32 {my.argument}) -> (f32 {my.result})
func.func private @both(f32 {my.argument}) -> (f32 {my.result})
// CHECK: func.func private @some(f32, i32 {my.argument = 1 : i64}) -> (f32, i32 {my.result})
func.func private @some(f32, i32 {my.argument = 1}) -> (f32, i32 {my.result})
// CHECK: func.func private @none(f32, i32) -> f32
func.func private @none(f32, i32) -> f32
// CHECK: func.func private @function(f32) -> ((f32) -> f32)
func.func private @function(f32) -> ((f32) -> f32)
// CHECK: func.func private @nothing() attributes {my.function}
func.func private @nothing() attributes {my.function}
// CHECK: func.func @body(%x: f32 {my.argument}) -> (f32 {my.result}) attributes {my.function} {
func.func @body(%x: f32 {my.argument}) -> (f32 {my.result}) attributes {my.function} {
  return %x : f32
}
