// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s
// RUN: mlc-opt %s --canonicalize --cse --dce --check-each | filecheck %s --check-prefix=SIMPLE

// Words of four numbers or of two, of one type or of two types; scalars, and vectors lane by lane.

// CHECK-LABEL: @integers
// CHECK-NEXT:    %s = loop.dot %a, %b, %acc of ui8, i8 : i32, i32
// CHECK-NEXT:    %t = loop.dot %a, %b, %s of i8, ui8 : i32, i32
// CHECK-NEXT:    %u = loop.dot %a, %b, %t of i16, ui16 : i32, i32
// CHECK-NEXT:    %v = loop.dot %a, %b, %u of i8, i8 {kept} : i32, i32
// CHECK-NEXT:    %w = loop.dot %a, %b, %v of i8, ui8 in_i16 {kept} : i32, i32
func.func @integers(%a: i32, %b: i32, %acc: i32) -> i32 {
  %s = loop.dot %a, %b, %acc of ui8, i8 : i32, i32
  %t = loop.dot %a, %b, %s of i8, ui8 : i32, i32
  %u = loop.dot %a, %b, %t of i16, ui16 : i32, i32
  %v = loop.dot %a, %b, %u of i8, i8 {kept} : i32, i32
  %w = loop.dot %a, %b, %v of i8, ui8 in_i16 {kept} : i32, i32
  return %w : i32
}

// CHECK-LABEL: @floats
// CHECK-NEXT:    %s = loop.dot %a, %b, %acc of bf16, bf16 : vector<4xi32>, vector<4xf32>
// CHECK-NEXT:    %t = loop.dot %a, %b, %s of f16, bf16 : vector<4xi32>, vector<4xf32>
func.func @floats(%a: vector<4xi32>, %b: vector<4xi32>, %acc: vector<4xf32>) -> vector<4xf32> {
  %s = loop.dot %a, %b, %acc of bf16, bf16 : vector<4xi32>, vector<4xf32>
  %t = loop.dot %a, %b, %s of f16, bf16 : vector<4xi32>, vector<4xf32>
  return %t : vector<4xf32>
}

// Long words have twice as many.

// CHECK-LABEL: @long
// CHECK-NEXT:    %s = loop.dot %a, %b, %acc of ui8, i8 : i64, i32
// CHECK-NEXT:    %t = loop.dot %u, %v, %sums of bf16, bf16 : vector<4xi64>, vector<4xf32>
func.func @long(%a: i64, %b: i64, %acc: i32, %u: vector<4xi64>, %v: vector<4xi64>, %sums: vector<4xf32>) -> (i32, vector<4xf32>) {
  %s = loop.dot %a, %b, %acc of ui8, i8 : i64, i32
  %t = loop.dot %u, %v, %sums of bf16, bf16 : vector<4xi64>, vector<4xf32>
  return %s, %t : i32, vector<4xf32>
}

// It has no effects; with other types of numbers it is another product.

// SIMPLE-LABEL: @once
// SIMPLE-NEXT:    loop.dot %a, %b, %acc of ui8, i8
// SIMPLE-NEXT:    loop.dot %a, %b, %acc of i8, i8
// SIMPLE-NEXT:    arith.addi
// SIMPLE-NEXT:    arith.addi
// SIMPLE-NEXT:    return
func.func @once(%a: i32, %b: i32, %acc: i32) -> i32 {
  %s = loop.dot %a, %b, %acc of ui8, i8 : i32, i32
  %t = loop.dot %a, %b, %acc of ui8, i8 : i32, i32
  %u = loop.dot %a, %b, %acc of i8, i8 : i32, i32
  %unused = loop.dot %b, %b, %acc of i8, i8 : i32, i32
  %x = arith.addi %s, %t : i32
  %y = arith.addi %x, %u : i32
  return %y : i32
}
