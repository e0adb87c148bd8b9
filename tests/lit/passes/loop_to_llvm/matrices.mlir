// RUN: mlc-opt %s --lower-to-llvm --target=sapphirerapids-amx | filecheck %s
// RUN: mlc-opt %s --lower-to-llvm --target=sapphirerapids-amx --emit=llvm-ir | filecheck %s --check-prefix=IR

// Registers are configured once, in front of the loop: 14 rows of 16 words are sums, 14 of 4 and 4 of 16 the operands.
// The sums stay in register 0, and operands take no register before they are needed.
// CHECK-LABEL: llvm.func weak_odr hidden @product(
// CHECK:         llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK:         llvm.br
// CHECK:         llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK:         llvm.br
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbusd"
// CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK:         llvm.call_intrinsic "llvm.x86.tilerelease"
// IR-LABEL: define weak_odr hidden void @product
// IR-SAME:    readonly{{.*}}readonly
// IR:         store i64 1, ptr
// IR:         store i64 274878955584, ptr
// IR:         store i64 265742, ptr
// IR:         call void @llvm.x86.ldtilecfg(
// IR:         call void @llvm.x86.tilezero(i8 0)
// IR:         call void @llvm.x86.tileloadd64(i8 1, ptr %{{.*}}, i64 32)
// IR:         call void @llvm.x86.tileloadd64(i8 2, ptr %{{.*}}, i64 64)
// IR:         call void @llvm.x86.tdpbusd(i8 0, i8 1, i8 2)
// IR:         call void @llvm.x86.tilestored64(i8 0, ptr %{{.*}}, i64 64)
// IR:         call void @llvm.x86.tilerelease()
func.func private @product(%x: memref<28x32xi8>, %w: memref<8x16xi32>, %y: memref<28x16xi32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 28 step 14 {
    %zero = arith.constant dense<0> : vector<14x16xi32>
    %c = loop.for serial "k" %k = 0 to 8 step 4 iter_args(%acc = %zero) -> (vector<14x16xi32>) {
      %x8 = loop.load %x[%m, %k * 4] rows 0 : memref<28x32xi8>, vector<14x16xi8>
      %a = vector.bitcast %x8 : vector<14x16xi8> to vector<14x4xi32>
      %b = loop.load %w[%k, 0] rows 0 : memref<8x16xi32>, vector<4x16xi32>
      %d = loop.mma %a, %b, %acc of ui8, i8 : vector<14x4xi32>, vector<4x16xi32>, vector<14x16xi32>
      loop.yield %d : vector<14x16xi32>
    }
    loop.store %c, %y[%m, 0] rows 0 : memref<28x16xi32>, vector<14x16xi32>
  }
  return
}
// Runs with other sizes are configured one by one, within the loop that has both.
// IR-LABEL: define weak_odr hidden void @two
// IR:         br label
// IR:         call void @llvm.x86.ldtilecfg(
// IR:         call void @llvm.x86.tdpbssd(i8 0, i8 1, i8 2)
// IR:         call void @llvm.x86.ldtilecfg(
// IR:         call void @llvm.x86.tdpbsud(i8 0, i8 1, i8 2)
func.func private @two(%x: memref<3x4x16xi32>, %w: memref<16x16xi32>, %y: memref<3x4x16xi32> {mlc.output}) {
  loop.for parallel "i" %i = 0 to 3 {
    %z = arith.constant dense<0> : vector<4x16xi32>
    %a = loop.load %x[%i, 0, 0] rows 1 : memref<3x4x16xi32>, vector<4x16xi32>
    %b = loop.load %w[0, 0] rows 0 : memref<16x16xi32>, vector<16x16xi32>
    %c = loop.mma %a, %b, %z of i8, i8 : vector<4x16xi32>, vector<16x16xi32>, vector<4x16xi32>
    loop.store %c, %y[%i, 0, 0] rows 1 : memref<3x4x16xi32>, vector<4x16xi32>
    %z2 = arith.constant dense<0> : vector<2x16xi32>
    %a2 = loop.load %x[%i, 2, 0] rows 1 : memref<3x4x16xi32>, vector<2x16xi32>
    %b2 = loop.load %w[0, 0] rows 0 : memref<16x16xi32>, vector<16x16xi32>
    %c2 = loop.mma %a2, %b2, %z2 of i8, ui8 : vector<2x16xi32>, vector<16x16xi32>, vector<2x16xi32>
    loop.store %c2, %y[%i, 2, 0] rows 1 : memref<3x4x16xi32>, vector<2x16xi32>
  }
  return
}

// What a loop uses of outside stays in its register until the loop ends, also behind its last use in there.
// IR-LABEL: define weak_odr hidden void @kept
// IR:         call void @llvm.x86.tileloadd64(i8 0, ptr
// IR:         call void @llvm.x86.tilezero(i8 1)
// IR:         call void @llvm.x86.tileloadd64(i8 2, ptr
// IR:         call void @llvm.x86.tdpbssd(i8 1, i8 2, i8 0)
// IR:         call void @llvm.x86.tileloadd64(i8 2, ptr
// IR:         call void @llvm.x86.tileloadd64(i8 3, ptr
// IR:         call void @llvm.x86.tdpbssd(i8 1, i8 2, i8 3)
func.func private @kept(%x: memref<8x16x16xi32>, %w: memref<16x16xi32>, %y: memref<16x16xi32> {mlc.output}) {
  %b = loop.load %w[0, 0] rows 0 : memref<16x16xi32>, vector<16x16xi32>
  %z = arith.constant dense<0> : vector<16x16xi32>
  %c = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %z) -> (vector<16x16xi32>) {
    %a = loop.load %x[%k, 0, 0] rows 1 : memref<8x16x16xi32>, vector<16x16xi32>
    %d = loop.mma %a, %b, %acc of i8, i8 : vector<16x16xi32>, vector<16x16xi32>, vector<16x16xi32>
    %e = loop.load %x[%k + 4, 0, 0] rows 1 : memref<8x16x16xi32>, vector<16x16xi32>
    %f = loop.load %x[%k + 3, 0, 0] rows 1 : memref<8x16x16xi32>, vector<16x16xi32>
    %g = loop.mma %e, %f, %d of i8, i8 : vector<16x16xi32>, vector<16x16xi32>, vector<16x16xi32>
    loop.yield %g : vector<16x16xi32>
  }
  loop.store %c, %y[0, 0] rows 0 : memref<16x16xi32>, vector<16x16xi32>
  return
}

// A load is carried out in front of what may write there.
// IR-LABEL: define weak_odr hidden void @written
// IR:         call void @llvm.x86.tileloadd64(
// IR:         store i32 7, ptr
// IR:         call void @llvm.x86.tdpbssd(
func.func private @written(%x: memref<16x16xi32>, %w: memref<16x16xi32>, %y: memref<16x16xi32> {mlc.output}) {
  %seven = arith.constant 7 : i32
  %z = arith.constant dense<0> : vector<16x16xi32>
  %a = loop.load %x[0, 0] rows 0 : memref<16x16xi32>, vector<16x16xi32>
  loop.store %seven, %x[0, 0] : memref<16x16xi32>
  %b = loop.load %w[0, 0] rows 0 : memref<16x16xi32>, vector<16x16xi32>
  %c = loop.mma %a, %b, %z of i8, i8 : vector<16x16xi32>, vector<16x16xi32>, vector<16x16xi32>
  loop.store %c, %y[0, 0] rows 0 : memref<16x16xi32>, vector<16x16xi32>
  return
}

// The model asks the system for the registers, and returns what it says if it refuses.
// CHECK-LABEL: llvm.func @mlc_main(
// CHECK:         %[[STATUS:.*]] = llvm.call @mlc_prepare_matrices() : () -> i32
// CHECK:         %[[FAILED:.*]] = llvm.icmp "ne" %[[STATUS]]
// CHECK:         llvm.cond_br %[[FAILED]], ^[[REFUSED:.*]], ^
// CHECK:       ^[[REFUSED]]:
// CHECK-NEXT:    llvm.return %[[STATUS]] : i32
// IR-LABEL: define i32 @mlc_main(
// IR:         call i32 @mlc_prepare_matrices()

func.func @main(%x: memref<28x32xi8>, %w: memref<8x16xi32>, %y: memref<28x16xi32> {mlc.output}) {
  func.call @product(%x, %w, %y) : (memref<28x32xi8>, memref<8x16xi32>, memref<28x16xi32>) -> ()
  return
}
