// RUN: mlc-opt %s --verify-diagnostics --split-input-file

// expected-error @+1 {{memref.global: the alignment must be a power of 2, got 3 (global_c1)}}
memref.global @g : memref<4xf32> = uninitialized {alignment = 3 : i64}

// -----

// expected-error @+1 {{memref.global: the data has type tensor<2xf32>, the buffer memref<4xf32>; shapes and elements must be equal (global_c2)}}
"memref.global"() <{sym_name = "g", type = memref<4xf32>, initial_value = dense<1.0> : tensor<2xf32>}> : () -> ()

// -----

// expected-error @+1 {{the type of a global is a memref, got f32}}
memref.global @g : f32

// -----

// expected-error @+1 {{unknown resource 'w' (the text names no weight file)}}
memref.global @g : memref<4xf32> = dense_resource<w>

// -----

func.func @cast_c1(%m: memref<4xf32>) {
  // expected-error @+1 {{memref<4xf32> and memref<4xf64> have other elements or another memory space (cast_c1)}}
  %0 = memref.cast %m : memref<4xf32> to memref<4xf64>
  return
}

// -----

func.func @cast_c2(%m: memref<4xf32>) {
  // expected-error @+1 {{memref<4xf32> and memref<5xf32> contradict each other in a size, a stride or the offset (cast_c2)}}
  %0 = memref.cast %m : memref<4xf32> to memref<5xf32>
  return
}

// -----

func.func @cast_c2_stride(%m: memref<4x4xf32>) {
  // expected-error @+1 {{contradict each other in a size, a stride or the offset (cast_c2)}}
  %0 = memref.cast %m : memref<4x4xf32> to memref<4x4xf32, strided<[5, 1]>>
  return
}

// -----

func.func @cast_c3(%m: memref<*xf32>) {
  // expected-error @+1 {{memref.cast: neither of the types has a rank (cast_c3)}}
  %0 = memref.cast %m : memref<*xf32> to memref<*xf32>
  return
}

// -----

func.func @copy_c1(%m: memref<4xf32>, %n: memref<5xf32>) {
  // expected-error @+1 {{memref.copy: memref<4xf32> is copied to memref<5xf32>; shapes and elements must be equal (copy_c1)}}
  memref.copy %m, %n : memref<4xf32> to memref<5xf32>
  return
}

// -----

func.func @atomic_rmw_c1(%m: memref<4xf32>, %x: f32) {
  // expected-error @+1 {{memref.atomic_rmw: 0 indices for 1 dims (atomic_rmw_c1)}}
  %0 = memref.atomic_rmw addf %x, %m[] : (f32, memref<4xf32>) -> f32
  return
}

// -----

func.func @atomic_rmw_c2(%m: memref<f32>, %x: f32) {
  // expected-error @+1 {{memref.atomic_rmw: 'addi' does not combine f32 (atomic_rmw_c2)}}
  %0 = memref.atomic_rmw addi %x, %m[] : (f32, memref<f32>) -> f32
  return
}
