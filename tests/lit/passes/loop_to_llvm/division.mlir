// RUN: mlc-opt %s --convert-loop-to-llvm | filecheck %s

// No CPU traps: 0 and the quotient that does not fit are divided by 1, and what is divided by 0 becomes 0.
// CHECK-LABEL: @divide(
// CHECK:      %[[X:.*]] = llvm.load %x
// CHECK:      %[[Y:.*]] = llvm.load %y
// CHECK-NEXT: %[[ZERO:.*]] = llvm.mlir.constant(dense<0> : vector<4xi32>)
// CHECK-NEXT: %[[BY_ZERO:.*]] = llvm.icmp "eq" %[[Y]], %[[ZERO]] : vector<4xi32>
// CHECK-NEXT: llvm.mlir.constant(dense<-2147483648> : vector<4xi32>)
// CHECK-NEXT: %[[LEAST:.*]] = llvm.icmp "eq" %[[X]], %{{.*}} : vector<4xi32>
// CHECK-NEXT: llvm.mlir.constant(dense<-1> : vector<4xi32>)
// CHECK-NEXT: %[[NEGATES:.*]] = llvm.icmp "eq" %[[Y]], %{{.*}} : vector<4xi32>
// CHECK-NEXT: %[[OVERFLOWS:.*]] = llvm.and %[[LEAST]], %[[NEGATES]] : vector<4xi1>
// CHECK-NEXT: %[[NONE:.*]] = llvm.or %[[BY_ZERO]], %[[OVERFLOWS]] : vector<4xi1>
// CHECK-NEXT: %[[ONE:.*]] = llvm.mlir.constant(dense<1> : vector<4xi32>)
// CHECK-NEXT: %[[D:.*]] = llvm.select %[[NONE]], %[[ONE]], %[[Y]] : vector<4xi1>, vector<4xi32>
// CHECK-NEXT: %[[Q:.*]] = llvm.sdiv %[[X]], %[[D]] : vector<4xi32>
// CHECK-NEXT: llvm.select %[[BY_ZERO]], %[[ZERO]], %[[Q]] : vector<4xi1>, vector<4xi32>
func.func private @divide(%x: memref<4xi32>, %y: memref<4xi32>, %out: memref<4xi32> {mlc.output}) {
  %a = loop.load %x[0] : memref<4xi32>, vector<4xi32>
  %b = loop.load %y[0] : memref<4xi32>, vector<4xi32>
  %c = arith.divsi %a, %b : vector<4xi32>
  loop.store %c, %out[0] : memref<4xi32>, vector<4xi32>
  return
}

// Unsigned, only 0 is left to see to.
// CHECK-LABEL: @unsigned(
// CHECK:      %[[BY_ZERO:.*]] = llvm.icmp "eq"
// CHECK-NOT:  llvm.or
// CHECK:      %[[R:.*]] = llvm.urem %[[X:.*]], %{{.*}} : i32
// CHECK-NEXT: llvm.select %[[BY_ZERO]], %[[X]], %[[R]] : i1, i32
func.func private @unsigned(%x: memref<4xi32>, %out: memref<4xi32> {mlc.output}) {
  %a = loop.load %x[0] : memref<4xi32>
  %b = loop.load %x[1] : memref<4xi32>
  %c = arith.remui %a, %b : i32
  loop.store %c, %out[0] : memref<4xi32>
  return
}

// What a constant rules out is not tested.
// CHECK-LABEL: @constants(
// CHECK-NOT: llvm.icmp
// CHECK-NOT: llvm.select
// CHECK: llvm.return
func.func private @constants(%x: memref<4xi32>, %out: memref<4xi32> {mlc.output}) {
  %seven = arith.constant 7 : i32
  %a = loop.load %x[0] : memref<4xi32>
  %b = arith.divsi %a, %seven : i32
  %c = arith.remui %b, %seven : i32
  %d = arith.shli %c, %seven : i32
  %e = arith.shrsi %d, %seven : i32
  %f = arith.shrui %e, %seven : i32
  loop.store %f, %out[0] : memref<4xi32>
  return
}

// A constant that does not.
// CHECK-LABEL: @minus_one(
// CHECK: llvm.select
// CHECK: llvm.sdiv
func.func private @minus_one(%x: memref<4xi32>, %out: memref<4xi32> {mlc.output}) {
  %minus = arith.constant -1 : i32
  %a = loop.load %x[0] : memref<4xi32>
  %b = arith.divsi %a, %minus : i32
  loop.store %b, %out[0] : memref<4xi32>
  return
}

// Shifts by more bits than there are.
// CHECK-LABEL: @shift(
// CHECK:      %[[A:.*]] = llvm.load
// CHECK:      %[[N:.*]] = llvm.load
// CHECK-NEXT: %[[LEFT:.*]] = llvm.shl %[[A]], %[[N]] : i32
// CHECK-NEXT: %[[WIDTH:.*]] = llvm.mlir.constant(32 : i32) : i32
// CHECK-NEXT: %[[FITS:.*]] = llvm.icmp "ult" %[[N]], %[[WIDTH]] : i32
// CHECK-NEXT: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT: %[[B:.*]] = llvm.select %[[FITS]], %[[LEFT]], %[[ZERO]] : i1, i32
// CHECK-NEXT: %[[MOST:.*]] = llvm.mlir.constant(31 : i32) : i32
// CHECK-NEXT: %[[AT_MOST:.*]] = llvm.intr.umin(%[[N]], %[[MOST]]) : (i32, i32) -> i32
// CHECK-NEXT: llvm.ashr %[[B]], %[[AT_MOST]] : i32
func.func private @shift(%x: memref<4xi32>, %out: memref<4xi32> {mlc.output}) {
  %a = loop.load %x[0] : memref<4xi32>
  %n = loop.load %x[1] : memref<4xi32>
  %b = arith.shli %a, %n : i32
  %c = arith.shrsi %b, %n : i32
  loop.store %c, %out[0] : memref<4xi32>
  return
}

// A constant of which one lane is 0, and a shift by just as many places as there are bits.
// CHECK-LABEL: @a_lane_of_zero(
// CHECK: %[[BY_ZERO:.*]] = llvm.icmp "eq"
// CHECK: llvm.udiv
// CHECK-NEXT: llvm.select %[[BY_ZERO]]
func.func private @a_lane_of_zero(%x: memref<4xi32>, %out: memref<4xi32> {mlc.output}) {
  %d = arith.constant dense<[1, 0, 2, 3]> : vector<4xi32>
  %a = loop.load %x[0] : memref<4xi32>, vector<4xi32>
  %b = arith.divui %a, %d : vector<4xi32>
  loop.store %b, %out[0] : memref<4xi32>, vector<4xi32>
  return
}
// CHECK-LABEL: @all_bits(
// CHECK: %[[INSIDE:.*]] = llvm.icmp "ult"
// CHECK-NEXT: llvm.mlir.constant
// CHECK-NEXT: llvm.select %[[INSIDE]]
func.func private @all_bits(%x: memref<4xi32>, %out: memref<4xi32> {mlc.output}) {
  %places = arith.constant 32 : i32
  %a = loop.load %x[0] : memref<4xi32>
  %b = arith.shli %a, %places : i32
  loop.store %b, %out[0] : memref<4xi32>
  return
}
