// RUN: mlc-opt %s --expand-math=precision=bf16 --target=sapphirerapids --check-each | filecheck %s --check-prefixes=CHECK,SHORT
// RUN: mlc-opt %s --expand-math --target=sapphirerapids | filecheck %s --check-prefixes=CHECK,LONG
// RUN: mlc-opt %s --expand-math=precision=bf16 --target=icelake-server | filecheck %s --check-prefixes=CHECK,LONG

// A sigmoid that is rounded to bf16, and what it is multiplied with, needs no division and a short polynomial.
// CHECK-LABEL: @sigmoid
// SHORT-NOT:     arith.divf
// SHORT-COUNT-6: math.fma
// SHORT-NOT:     math.fma
// SHORT:         %[[E:.*]] = llvm.intr.x86.scalef
// SHORT:         %[[D:.*]] = arith.addf %{{.*}}, %[[E]]
// SHORT-NEXT:    %[[R:.*]] = llvm.intr.x86.rcp14(%[[D]])
// SHORT-NEXT:    arith.mulf %x, %[[R]]
// LONG:          arith.divf
// LONG-NOT:      rcp14
// CHECK:         return
func.func @sigmoid(%x: vector<16xf32>) -> vector<16xbf16> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %n = arith.negf %x : vector<16xf32>
  %e = math.exp %n : vector<16xf32>
  %d = arith.addf %one, %e : vector<16xf32>
  %s = arith.divf %one, %d : vector<16xf32>
  %y = arith.mulf %x, %s : vector<16xf32>
  %r = arith.truncf %y : vector<16xf32> to vector<16xbf16>
  return %r : vector<16xbf16>
}

// A vector of several registers is computed as one.
// CHECK-LABEL: @three_registers
// SHORT:       llvm.intr.x86.scalef(%{{.*}}, %{{.*}}) : (vector<48xf32>, vector<48xf32>) -> vector<48xf32>
// SHORT:       llvm.intr.x86.rcp14(%{{.*}}) : (vector<48xf32>) -> vector<48xf32>
// LONG-NOT:    rcp14
// CHECK:       return
func.func @three_registers(%x: vector<48xf32>) -> vector<48xbf16> {
  %one = arith.constant dense<1.0> : vector<48xf32>
  %e = math.exp %x : vector<48xf32>
  %d = arith.addf %one, %e : vector<48xf32>
  %s = arith.divf %one, %d : vector<48xf32>
  %r = arith.truncf %s : vector<48xf32> to vector<48xbf16>
  return %r : vector<48xbf16>
}

// A sum of numbers of any sign may be off by a larger part of itself than they are.
// CHECK-LABEL: @sum
// CHECK:       arith.divf
// CHECK-NOT:   rcp14
// CHECK:       return
func.func @sum(%x: vector<16xf32>) -> vector<16xbf16> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %a = arith.divf %one, %x : vector<16xf32>
  %b = arith.addf %a, %x : vector<16xf32>
  %r = arith.truncf %b : vector<16xf32> to vector<16xbf16>
  return %r : vector<16xbf16>
}

// Differences show more of an error; what f32 shows is as exact as ever; so are other quotients, and vectors
// that do not fill registers.
// CHECK-LABEL: @stay
// CHECK-NOT:   rcp14
// CHECK:       return
func.func @stay(%x: vector<16xf32>, %z: vector<8xf32>, %w: vector<40xf32>)
    -> (vector<16xbf16>, vector<16xf32>, vector<16xbf16>, vector<8xbf16>, vector<16xf16>, vector<40xbf16>) {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %two = arith.constant dense<2.0> : vector<16xf32>
  %eight = arith.constant dense<1.0> : vector<8xf32>
  %a = arith.divf %one, %x : vector<16xf32>
  %b = arith.subf %a, %one : vector<16xf32>
  %0 = arith.truncf %b : vector<16xf32> to vector<16xbf16>
  %c = arith.divf %one, %x : vector<16xf32>
  %1 = arith.truncf %c : vector<16xf32> to vector<16xbf16>
  %d = arith.divf %two, %x : vector<16xf32>
  %2 = arith.truncf %d : vector<16xf32> to vector<16xbf16>
  %e = arith.divf %eight, %z : vector<8xf32>
  %3 = arith.truncf %e : vector<8xf32> to vector<8xbf16>
  %f = arith.divf %one, %x : vector<16xf32>
  %4 = arith.truncf %f : vector<16xf32> to vector<16xf16>
  %many = arith.constant dense<1.0> : vector<40xf32>
  %g = arith.divf %many, %w : vector<40xf32>
  %5 = arith.truncf %g : vector<40xf32> to vector<40xbf16>
  return %0, %c, %2, %3, %4, %5
      : vector<16xbf16>, vector<16xf32>, vector<16xbf16>, vector<8xbf16>, vector<16xf16>, vector<40xbf16>
}

// A matrix is not looked at.
// CHECK-LABEL: @matrix
// CHECK:       math.exp %x : vector<16x2xf32>
func.func @matrix(%x: vector<16x2xf32>) -> vector<16x2xbf16> {
  %a = math.exp %x : vector<16x2xf32>
  %0 = arith.truncf %a : vector<16x2xf32> to vector<16x2xbf16>
  return %0 : vector<16x2xbf16>
}
