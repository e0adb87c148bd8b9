// RUN: mlc-opt %s --split-input-file --apply-schedule --remarks 2>&1 >%t | filecheck %s

// CHECK: 'y' not read ahead in 'n': 'y' is written
func.func private @kernel(%y: memref<5xf32> {mlc.output}) attributes {schedule = #loop.schedule<[cache_read(y, n)]>} {
  loop.for parallel "n" %n = 0 to 1 {
    loop.for parallel "ni" %ni = 0 to 5 {
      %a = loop.load %y[%ni] : memref<5xf32>
      loop.store %a, %y[%ni] : memref<5xf32>
    }
  }
  return
}

// -----

// CHECK: 'x' not read ahead in 'n': it reads several parts of 'x'
func.func private @kernel(%x: memref<10xf32>, %y: memref<5xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[cache_read(x, n)]>} {
  loop.for parallel "n" %n = 0 to 1 {
    loop.for parallel "ni" %ni = 0 to 5 {
      %a = loop.load %x[%ni] : memref<10xf32>
      %b = loop.load %x[%ni + 5] : memref<10xf32>
      %c = arith.addf %a, %b : f32
      loop.store %c, %y[%ni] : memref<5xf32>
    }
  }
  return
}

// -----

// CHECK: 'x' not read ahead in 'n': it reads several parts of 'x'
func.func private @kernel(%x: memref<5xi8>, %y: memref<5xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[cache_read(x, n)]>} {
  loop.for parallel "n" %n = 0 to 1 {
    loop.for parallel "ni" %ni = 0 to 5 {
      %a = loop.load %x[%ni] : memref<5xi8>
      %b = arith.extsi %a : i8 to i32
      %c = arith.sitofp %b : i32 to f32
      %d = loop.load %x[%ni] : memref<5xi8>
      %e = arith.extui %d : i8 to i32
      %f = arith.sitofp %e : i32 to f32
      %g = arith.addf %c, %f : f32
      loop.store %g, %y[%ni] : memref<5xf32>
    }
  }
  return
}

// -----

// CHECK: 'x' not read ahead in 'n': a subscript is not a sum of multiples of the counters of loops inside
func.func private @kernel(%x: memref<5xf32>, %y: memref<10xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[cache_read(x, n)]>} {
  loop.for parallel "n" %n = 0 to 1 {
    loop.for parallel "ni" %ni = 0 to 10 {
      %a = loop.load %x[%ni floordiv 2] : memref<5xf32>
      loop.store %a, %y[%ni] : memref<10xf32>
    }
  }
  return
}

// -----

// CHECK: 'x' not read ahead in 'n': it does not read 'x'
func.func private @kernel(%x: memref<5xf32>, %y: memref<5xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[cache_read(x, n)]>} {
  loop.for parallel "n" %n = 0 to 1 {
    %a = arith.constant 1.0 : f32
    loop.store %a, %y[%n] : memref<5xf32>
  }
  return
}

// -----

// CHECK: 'x' not read ahead in 'n': 'loop.load' uses the whole buffer, or vectors of it
func.func private @kernel(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[cache_read(x, n)]>} {
  loop.for parallel "n" %n = 0 to 1 {
    loop.for parallel "ni" %ni = 0 to 2 {
      %a = loop.load %x[%ni * 4] : memref<8xf32>, vector<4xf32>
      loop.store %a, %y[%ni * 4] : memref<8xf32>, vector<4xf32>
    }
  }
  return
}

// -----

// A copy that does more than to store what it unpacks stays one of bytes.

// CHECK: loop 'k' does not read words: it does more than store its weights as floats
func.func private @kernel(%w: memref<16xi8>, %y: memref<16xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[unpack(k)]>} {
  loop.for parallel "k" %k = 0 to 16 {
    %b = loop.load %w[%k] : memref<16xi8>
    %c = arith.extsi %b : i8 to i32
    %d = arith.sitofp %c : i32 to f32
    %e = math.exp %d : f32
    loop.store %e, %y[%k] : memref<16xf32>
  }
  return
}
func.func @main(%y: memref<16xf32> {mlc.output}) {
  %w = loop.constant dense<7> : tensor<16xi8> to memref<16xi8>
  func.call @kernel(%w, %y) : (memref<16xi8>, memref<16xf32>) -> ()
  return
}
