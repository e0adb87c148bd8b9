// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s
// RUN: mlc-opt %s --canonicalize --cse --dce --check-each | filecheck %s --check-prefix=SIMPLE

// Each word of a vector with each word of another one; they need not be as many.

// CHECK-LABEL: @integers
// CHECK-NEXT:    %p = loop.outer_dot %a, %b, %acc of ui8, i8 : vector<2xi64>, vector<2xi64>, vector<4xi32>
// CHECK-NEXT:    %q = loop.outer_dot %a, %c, %wide of i16, i16 {kept} : vector<2xi64>, vector<4xi64>, vector<8xi32>
func.func @integers(%a: vector<2xi64>, %b: vector<2xi64>, %c: vector<4xi64>, %acc: vector<4xi32>, %wide: vector<8xi32>) -> (vector<4xi32>, vector<8xi32>) {
  %p = loop.outer_dot %a, %b, %acc of ui8, i8 : vector<2xi64>, vector<2xi64>, vector<4xi32>
  %q = loop.outer_dot %a, %c, %wide of i16, i16 {kept} : vector<2xi64>, vector<4xi64>, vector<8xi32>
  return %p, %q : vector<4xi32>, vector<8xi32>
}

// CHECK-LABEL: @floats
// CHECK-NEXT:    loop.outer_dot %a, %b, %acc of bf16, bf16 : vector<2xi64>, vector<2xi64>, vector<4xf32>
func.func @floats(%a: vector<2xi64>, %b: vector<2xi64>, %acc: vector<4xf32>) -> vector<4xf32> {
  %p = loop.outer_dot %a, %b, %acc of bf16, bf16 : vector<2xi64>, vector<2xi64>, vector<4xf32>
  return %p : vector<4xf32>
}

// It has no effects.

// SIMPLE-LABEL: @once
// SIMPLE-NEXT:    loop.outer_dot %a, %b, %acc of ui8, i8
// SIMPLE-NEXT:    arith.addi
// SIMPLE-NEXT:    return
func.func @once(%a: vector<2xi64>, %b: vector<2xi64>, %acc: vector<4xi32>) -> vector<4xi32> {
  %p = loop.outer_dot %a, %b, %acc of ui8, i8 : vector<2xi64>, vector<2xi64>, vector<4xi32>
  %q = loop.outer_dot %a, %b, %acc of ui8, i8 : vector<2xi64>, vector<2xi64>, vector<4xi32>
  %unused = loop.outer_dot %b, %a, %acc of ui8, i8 : vector<2xi64>, vector<2xi64>, vector<4xi32>
  %r = arith.addi %p, %q : vector<4xi32>
  return %r : vector<4xi32>
}
