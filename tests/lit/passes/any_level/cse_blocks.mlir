// RUN: mlc-opt --cse %s | filecheck %s
// NO-CHECK-EACH: the reference runs functions of one block only

// A block may use what dominates it; siblings do not share.
// CHECK-LABEL: @blocks
func.func @blocks(%c: i1, %x: i32) -> i32 {
  // CHECK-NEXT: %0 = arith.addi %x, %x
  %0 = arith.addi %x, %x : i32
  cf.cond_br %c, ^left, ^right
^left:
  // CHECK: ^left:
  // CHECK-NEXT: arith.muli %0, %x
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %1, %x : i32
  cf.br ^join(%2 : i32)
^right:
  // CHECK: ^right:
  // CHECK-NEXT: arith.muli %0, %x
  %3 = arith.muli %0, %x : i32
  cf.br ^join(%3 : i32)
^join(%r: i32):
  // CHECK: ^join(%r: i32):
  // CHECK-NEXT: %[[M:.*]] = arith.muli %0, %x
  // CHECK-NEXT: arith.addi %r, %[[M]]
  %4 = arith.muli %0, %x : i32
  %5 = arith.addi %r, %4 : i32
  return %5 : i32
}

// What one way to a block has written is read again in it, whatever was read in front of the branch.
// CHECK-LABEL: @memory
// CHECK: ^join:
// CHECK-NEXT: %[[B:.*]] = memref.load
// CHECK-NEXT: arith.addf %a, %[[B]]
func.func @memory(%c: i1, %m: memref<4xf32>, %i: index, %x: f32) -> f32 {
  %a = memref.load %m[%i] : memref<4xf32>
  cf.cond_br %c, ^write, ^join
^write:
  memref.store %x, %m[%i] : memref<4xf32>
  cf.br ^join
^join:
  %b = memref.load %m[%i] : memref<4xf32>
  %s = arith.addf %a, %b : f32
  return %s : f32
}

// Nor is what the rounds before have written what was read in front of them.
// CHECK-LABEL: @rounds
// CHECK: ^round:
// CHECK-NEXT: %[[B:.*]] = memref.load
// CHECK-NEXT: %[[S:.*]] = arith.addf %a, %[[B]]
// CHECK-NEXT: memref.store %[[S]]
func.func @rounds(%c: i1, %m: memref<4xf32>, %i: index) -> f32 {
  %a = memref.load %m[%i] : memref<4xf32>
  cf.br ^round
^round:
  %b = memref.load %m[%i] : memref<4xf32>
  %s = arith.addf %a, %b : f32
  memref.store %s, %m[%i] : memref<4xf32>
  cf.cond_br %c, ^round, ^end
^end:
  return %s : f32
}
