// RUN: mlc-opt %s --merge-kernels --split-input-file | filecheck %s
// RUN: mlc-opt %s --merge-kernels --split-input-file --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// Other columns of other buffers, whose rows are equally long: one kernel, which is given what it touches.
// CHECK-LABEL: builtin.module
// CHECK-NEXT:    func.func private @left(%x: memref<23xf32>, %y: memref<12xf32> {mlc.output}) {
// CHECK-NEXT:      loop.for parallel "m" %m = 0 to 3 {
// CHECK-NEXT:        loop.for parallel "n" %n = 0 to 2 {
// CHECK-NEXT:          %0 = loop.load %x[%m * 10 + %n] : memref<23xf32>
// CHECK-NEXT:          %1 = loop.load %x[%m * 10 + %n + 1] : memref<23xf32>
// CHECK-NEXT:          %2 = arith.addf %0, %1 : f32
// CHECK-NEXT:          loop.prefetch %x[%m * 10 + %n + 20] to 1 : memref<23xf32>
// CHECK-NEXT:          loop.store %2, %y[%m * 5 + %n] : memref<12xf32>
// CHECK:         func.func @main(
// CHECK-NEXT:      %x_1 = loop.span %x from 0 : memref<3x10xf32> -> memref<23xf32>
// CHECK-NEXT:      %y_1 = loop.span %y from 0 : memref<3x5xf32> -> memref<12xf32>
// CHECK-NEXT:      call @left(%x_1, %y_1)
// CHECK-NEXT:      %z_1 = loop.span %z from 27 : memref<6x10xf32> -> memref<23xf32>
// CHECK-NEXT:      %y_2 = loop.span %y from 3 : memref<3x5xf32> -> memref<12xf32>
// CHECK-NEXT:      call @left(%z_1, %y_2)
// REMARK: remark: 'right' is the same as 'left', but for where arguments begin
func.func private @left(%x: memref<3x10xf32>, %y: memref<3x5xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 2 {
      %0 = loop.load %x[%m, %n] : memref<3x10xf32>
      %1 = loop.load %x[%m, %n + 1] : memref<3x10xf32>
      %2 = arith.addf %0, %1 : f32
      loop.prefetch %x[%m + 2, %n] to 1 : memref<3x10xf32>
      loop.store %2, %y[%m, %n] : memref<3x5xf32>
    }
  }
  return
}
func.func private @right(%a: memref<6x10xf32>, %b: memref<3x5xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 2 {
      %0 = loop.load %a[%m + 2, %n + 7] : memref<6x10xf32>
      %1 = loop.load %a[%m + 2, %n + 8] : memref<6x10xf32>
      %2 = arith.addf %0, %1 : f32
      loop.prefetch %a[%m + 4, %n + 7] to 1 : memref<6x10xf32>
      loop.store %2, %b[%m, %n + 3] : memref<3x5xf32>
    }
  }
  return
}
func.func @main(%x: memref<3x10xf32>, %z: memref<6x10xf32>, %y: memref<3x5xf32> {mlc.output}) {
  func.call @left(%x, %y) : (memref<3x10xf32>, memref<3x5xf32>) -> ()
  func.call @right(%z, %y) : (memref<6x10xf32>, memref<3x5xf32>) -> ()
  return
}

// -----

// Vectors, along other dims too, and the last rows of a buffer. What agrees stays as it is.
// CHECK:         func.func private @first(%x: memref<25xf32>, %w: memref<1x4xf32>, %y: memref<4xf32> {mlc.output}) {
// CHECK-NEXT:      %0 = loop.load %x[0] stride 8 : memref<25xf32>, vector<4xf32>
// CHECK-NEXT:      %1 = loop.load %x[8] stride 2 active 3 : memref<25xf32>, vector<4xf32>
// CHECK-NEXT:      %2 = loop.load %w[0, 0] : memref<1x4xf32>, vector<4xf32>
// CHECK:           loop.store %{{.*}}, %y[0] : memref<4xf32>, vector<4xf32>
// CHECK-NOT:     func.func private
// CHECK:         func.func @main(
// CHECK:           loop.span %x from 1 : memref<4x8xf32> -> memref<25xf32>
// CHECK-NEXT:      call @first(
// CHECK:           loop.span %x from 3 : memref<4x8xf32> -> memref<25xf32>
func.func private @first(%x: memref<4x8xf32>, %w: memref<1x4xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[0, 1] along 0 : memref<4x8xf32>, vector<4xf32>
  %1 = loop.load %x[1, 1] stride 2 active 3 : memref<4x8xf32>, vector<4xf32>
  %2 = loop.load %w[0, 0] : memref<1x4xf32>, vector<4xf32>
  %3 = arith.addf %0, %1 : vector<4xf32>
  %4 = arith.addf %3, %2 : vector<4xf32>
  loop.store %4, %y[0] : memref<4xf32>, vector<4xf32>
  return
}
func.func private @second(%x: memref<4x8xf32>, %w: memref<1x4xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[0, 3] along 0 : memref<4x8xf32>, vector<4xf32>
  %1 = loop.load %x[1, 3] stride 2 active 3 : memref<4x8xf32>, vector<4xf32>
  %2 = loop.load %w[0, 0] : memref<1x4xf32>, vector<4xf32>
  %3 = arith.addf %0, %1 : vector<4xf32>
  %4 = arith.addf %3, %2 : vector<4xf32>
  loop.store %4, %y[0] : memref<4xf32>, vector<4xf32>
  return
}
func.func @main(%x: memref<4x8xf32>, %w: memref<1x4xf32>, %y: memref<4xf32> {mlc.output}, %z: memref<4xf32> {mlc.output}) {
  func.call @first(%x, %w, %y) : (memref<4x8xf32>, memref<1x4xf32>, memref<4xf32>) -> ()
  func.call @second(%x, %w, %z) : (memref<4x8xf32>, memref<1x4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Kernels that became the same below the tensor level: no spans are needed.
// CHECK:         func.func private @one(%x: memref<4xf32>,
// CHECK-NOT:     @two
// CHECK-NOT:     loop.span
// REMARK: remark: 'two' is the same as 'one'{{$}}
func.func private @one(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[1] : memref<4xf32>
  loop.store %0, %y[2] : memref<4xf32>
  return
}
func.func private @two(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %0 = loop.load %x[1] : memref<4xf32>
  loop.store %0, %y[2] : memref<4xf32>
  return
}
func.func @main(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}, %z: memref<4xf32> {mlc.output}) {
  func.call @one(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @two(%x, %z) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// The same elements of buffers of other sizes: their types differ, so both become spans.
// CHECK:         func.func private @long(%x: memref<2xf32>,
// CHECK:         func.func @main(
// CHECK-NEXT:      loop.span %x from 1 : memref<4xf32> -> memref<2xf32>
// CHECK-NEXT:      call @long(
// CHECK-NEXT:      loop.span %w from 1 : memref<3xf32> -> memref<2xf32>
// CHECK-NEXT:      call @long(
func.func private @long(%x: memref<4xf32>, %y: memref<2xf32> {mlc.output}) {
  loop.for parallel "n" %n = 1 to 3 {
    %0 = loop.load %x[%n] : memref<4xf32>
    loop.store %0, %y[%n - 1] : memref<2xf32>
  }
  return
}
func.func private @short(%x: memref<3xf32>, %y: memref<2xf32> {mlc.output}) {
  loop.for parallel "n" %n = 1 to 3 {
    %0 = loop.load %x[%n] : memref<3xf32>
    loop.store %0, %y[%n - 1] : memref<2xf32>
  }
  return
}
func.func @main(%x: memref<4xf32>, %w: memref<3xf32>, %y: memref<2xf32> {mlc.output}, %z: memref<2xf32> {mlc.output}) {
  func.call @long(%x, %y) : (memref<4xf32>, memref<2xf32>) -> ()
  func.call @short(%w, %z) : (memref<3xf32>, memref<2xf32>) -> ()
  return
}
