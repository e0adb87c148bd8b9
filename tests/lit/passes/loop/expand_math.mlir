// RUN: mlc-opt %s --expand-math | filecheck %s

// On scalars: reduction, polynomial, two products with a power of two. Constants stand at the start of the function.

// CHECK-LABEL: func.func private @scalar
// CHECK-NEXT:  %[[HIGH:.*]] = arith.constant 8.900000e+01 : f32
// CHECK:       %[[FRACTION:.*]] = arith.constant 23 : i32
// CHECK:       loop.for
// CHECK-NOT:   arith.constant
func.func private @scalar(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  loop.for parallel "i" %i = 0 to 4 {
    // CHECK:      %a = loop.load
    %a = loop.load %x[%i] : memref<4xf32>
    // CHECK-NEXT: %[[ABOVE:.*]] = arith.cmpf ogt, %a, %[[HIGH]] : f32
    // CHECK-NEXT: %[[LIMITED:.*]] = arith.select %[[ABOVE]], %[[HIGH]], %a : f32
    // CHECK:      %[[SHIFTED:.*]] = math.fma %{{.*}} : f32
    // CHECK-NEXT: %[[BITS:.*]] = arith.bitcast %[[SHIFTED]] : f32 to i32
    // CHECK-NEXT: %[[EXPONENT:.*]] = arith.shli %[[BITS]], %[[FRACTION]] : i32
    // CHECK-NEXT: %[[POWER:.*]] = arith.bitcast %[[EXPONENT]] : i32 to f32
    // CHECK-NEXT: %[[N:.*]] = arith.subf %[[SHIFTED]], %{{.*}} : f32
    // CHECK-COUNT-9: math.fma
    // CHECK-NOT:  math.fma
    // CHECK:      %[[ONCE:.*]] = arith.mulf %{{.*}}, %[[POWER]] : f32
    // CHECK-NEXT: %b = arith.mulf %[[ONCE]], %[[POWER]] : f32
    %b = math.exp %a : f32
    // CHECK-NEXT: loop.store %b
    loop.store %b, %y[%i] : memref<4xf32>
  }
  return
}

// On vectors: the same, with splat constants, which the expansions of a function share.

// CHECK-LABEL: func.func private @vector
// CHECK-NEXT:  %[[LIMIT:.*]] = arith.constant dense<4.000000e+00> : vector<16xf32>
// CHECK:       loop.for
// CHECK-NOT:   arith.constant
func.func private @vector(%x: memref<32xf32> {mlc.output}, %y: memref<32xf32> {mlc.output}) {
  loop.for parallel "i" %i = 0 to 32 step 16 {
    %a = loop.load %x[%i] : memref<32xf32>, vector<16xf32>
    // CHECK:      %[[ABS:.*]] = math.absf %a : vector<16xf32>
    // CHECK-NEXT: %[[ABOVE:.*]] = arith.cmpf ogt, %[[ABS]], %[[LIMIT]] : vector<16xf32>
    // CHECK-NEXT: %[[LIMITED:.*]] = arith.select %[[ABOVE]], %[[LIMIT]], %[[ABS]] : vector<16xi1>, vector<16xf32>
    // CHECK:      arith.select %{{.*}} : vector<16xi1>, vector<16xf32>
    // CHECK-NEXT: %b = math.copysign %{{.*}}, %a : vector<16xf32>
    %b = math.erf %a : vector<16xf32>
    // CHECK:      %c = math.copysign %{{.*}}, %b : vector<16xf32>
    %c = math.erf %b : vector<16xf32>
    loop.store %c, %y[%i] : memref<32xf32>, vector<16xf32>
  }
  // Another loop takes the same.
  loop.for parallel "i" %i = 0 to 32 step 16 {
    %a = loop.load %y[%i] : memref<32xf32>, vector<16xf32>
    // CHECK:      loop.for
    // CHECK-NEXT: loop.load
    // CHECK-NEXT: math.absf
    // CHECK-NEXT: arith.cmpf ogt, %{{.*}}, %[[LIMIT]] : vector<16xf32>
    %b = math.erf %a : vector<16xf32>
    loop.store %b, %x[%i] : memref<32xf32>, vector<16xf32>
  }
  // CHECK-NOT:   arith.constant
  // CHECK:       return
  return
}

// What is one instruction stays, and so does what has no expansion.

// CHECK-LABEL: func.func private @others
// CHECK-NEXT:  %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
func.func private @others(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  loop.for parallel "i" %i = 0 to 4 {
    // CHECK:      %a = loop.load
    %a = loop.load %x[%i] : memref<4xf32>
    // CHECK-NEXT: %b = math.absf %a : f32
    %b = math.absf %a : f32
    // CHECK-NEXT: %c = math.sqrt %b : f32
    %c = math.sqrt %b : f32
    // CHECK-NEXT: %d = math.fma %a, %b, %c : f32
    %d = math.fma %a, %b, %c : f32
    // CHECK-NEXT: %e = math.cbrt %d : f32
    %e = math.cbrt %d : f32
    // CHECK-NEXT: %[[ROOT:.*]] = math.sqrt %e : f32
    // CHECK-NEXT: %f = arith.divf %[[ONE]], %[[ROOT]] : f32
    %f = math.rsqrt %e : f32
    loop.store %f, %y[%i] : memref<4xf32>
  }
  return
}

// A power of two takes one instruction where there is one, and so do limits of both sides.
// RUN: mlc-opt %s --expand-math --target=x86-64-v4 | filecheck %s --check-prefix=V4
// RUN: mlc-opt %s --expand-math --target=x86-64-v3 | filecheck %s --check-prefix=V3
// V4-LABEL: @vector_exp
// V4-NOT: arith.select
// V4: llvm.intr.x86.range
// V4: llvm.intr.x86.scalef
// V3-LABEL: @vector_exp
// V3-NOT: scalef
// V3: return
func.func private @vector_exp(%a: vector<16xf32>) -> vector<16xf32> {
  %b = math.exp %a : vector<16xf32>
  return %b : vector<16xf32>
}

// So it does for each register of a wide vector; vectors that do not fill registers have neither.
// V4-LABEL: @wide_exp
// V4: llvm.intr.x86.scalef(%{{.*}}, %{{.*}}) : (vector<64xf32>, vector<64xf32>) -> vector<64xf32>
// V4-LABEL: @narrow_exp
// V4-NOT: llvm.intr.x86
// V4-LABEL: @three_exp
// V4: llvm.intr.x86.scalef(%{{.*}}, %{{.*}}) : (vector<48xf32>, vector<48xf32>) -> vector<48xf32>
// V4-LABEL: @odd_exp
// V4-NOT: llvm.intr.x86
// V4: return
func.func private @wide_exp(%a: vector<64xf32>) -> vector<64xf32> {
  %b = math.exp %a : vector<64xf32>
  return %b : vector<64xf32>
}
func.func private @narrow_exp(%a: vector<8xf32>) -> vector<8xf32> {
  %b = math.exp %a : vector<8xf32>
  return %b : vector<8xf32>
}
func.func private @three_exp(%a: vector<48xf32>) -> vector<48xf32> {
  %b = math.exp %a : vector<48xf32>
  return %b : vector<48xf32>
}
func.func private @odd_exp(%a: vector<40xf32>) -> vector<40xf32> {
  %b = math.exp %a : vector<40xf32>
  return %b : vector<40xf32>
}

// A remainder is a long division of f32 in f64: ten steps, each with a quotient, a remainder and a correction.

// CHECK-LABEL: func.func private @remainder
func.func private @remainder(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32> {mlc.output}) {
  loop.for parallel "i" %i = 0 to 4 {
    %a = loop.load %x[%i] : memref<4xf32>
    %b = loop.load %y[%i] : memref<4xf32>
    // CHECK:          arith.extf %{{.*}} : f32 to f64
    // CHECK-COUNT-10: arith.divf %{{.*}} : f64
    // CHECK-NOT:      arith.divf
    // CHECK:          arith.truncf %{{.*}} : f64 to f32
    // CHECK-NEXT:     %c = math.copysign %{{.*}}, %a : f32
    %c = arith.remf %a, %b : f32
    loop.store %c, %z[%i] : memref<4xf32>
  }
  return
}

// A power of integers: 30 squares, and a product for each bit but the sign.

// CHECK-LABEL: func.func private @power
func.func private @power(%x: memref<16xi32>, %y: memref<16xi32>, %z: memref<16xi32> {mlc.output}) {
  loop.for parallel "i" %i = 0 to 16 step 8 {
    %a = loop.load %x[%i] : memref<16xi32>, vector<8xi32>
    %b = loop.load %y[%i] : memref<16xi32>, vector<8xi32>
    // CHECK-COUNT-60: arith.muli %{{.*}} : vector<8xi32>
    // CHECK-NOT:      arith.muli
    // CHECK:          arith.cmpi slt, %b, %{{.*}} : vector<8xi32>
    // CHECK:          %c = arith.select
    %c = math.ipowi %a, %b : vector<8xi32>
    loop.store %c, %z[%i] : memref<16xi32>, vector<8xi32>
  }
  return
}
