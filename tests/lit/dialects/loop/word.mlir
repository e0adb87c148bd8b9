// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s
// RUN: mlc-opt %s --canonicalize --cse --dce --check-each | filecheck %s --check-prefix=SIMPLE

// Words of four numbers or of two; scalars, and vectors lane by lane.

// CHECK-LABEL: @words
// CHECK-NEXT:    %v = loop.word %a, %b, %b, %a : i8, i8, i8, i8 -> i32
// CHECK-NEXT:    %w = loop.word %x, %y {kept} : vector<4xbf16>, vector<4xbf16> -> vector<4xi32>
func.func @words(%a: i8, %b: i8, %x: vector<4xbf16>, %y: vector<4xbf16>) -> (i32, vector<4xi32>) {
  %v = loop.word %a, %b, %b, %a : i8, i8, i8, i8 -> i32
  %w = loop.word %x, %y {kept} : vector<4xbf16>, vector<4xbf16> -> vector<4xi32>
  return %v, %w : i32, vector<4xi32>
}

// It has no effects; other orders are other words.

// SIMPLE-LABEL: @order
// SIMPLE-NEXT:    %v = loop.word %a, %b : i16, i16 -> i32
// SIMPLE-NEXT:    %w = loop.word %b, %a : i16, i16 -> i32
// SIMPLE-NEXT:    return %v, %w, %v
func.func @order(%a: i16, %b: i16) -> (i32, i32, i32) {
  %v = loop.word %a, %b : i16, i16 -> i32
  %w = loop.word %b, %a : i16, i16 -> i32
  %again = loop.word %a, %b : i16, i16 -> i32
  %unused = loop.word %a, %a : i16, i16 -> i32
  return %v, %w, %again : i32, i32, i32
}
