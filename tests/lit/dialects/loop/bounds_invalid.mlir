// RUN: mlc-opt %s --split-input-file --verify-diagnostics

// Subscripts that leave their buffer, as far as loops with constant bounds say so. What must stay: bounds.mlir.

func.func @too_far(%x: memref<8xf32>) {
  loop.for serial "i" %i = 0 to 7 {
    // expected-error @+1 {{loop.load: subscript 0 runs from 0 to 12, outside of memref<8xf32> (access_c7)}}
    %a = loop.load %x[%i * 2] : memref<8xf32>
  }
  return
}

// -----

func.func @in_front(%x: memref<8xf32>, %y: memref<4x8xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 8 {
      %a = loop.load %x[%n] : memref<8xf32>
      // expected-error @+1 {{loop.store: subscript 1 runs from -3 to 7, outside of memref<4x8xf32> (access_c7)}}
      loop.store %a, %y[%m, %n - %m] : memref<4x8xf32>
    }
  }
  return
}

// -----

func.func @one_place(%x: memref<8xf32>) {
  // expected-error @+1 {{loop.load: subscript 0 is 8, outside of memref<8xf32> (access_c7)}}
  %a = loop.load %x[8] : memref<8xf32>
  return
}

// -----

func.func @last_step(%x: memref<9xf32>) {
  loop.for serial "i" %i = 1 to 11 step 3 {
    // expected-error @+1 {{loop.load: subscript 0 runs from 1 to 10, outside of memref<9xf32> (access_c7)}}
    %a = loop.load %x[%i] : memref<9xf32>
  }
  return
}

// -----

func.func @last_lane(%x: memref<16xf32>) {
  loop.for serial "i" %i = 0 to 10 step 8 {
    // expected-error @+1 {{loop.load: subscript 0 runs from 1 to 16, outside of memref<16xf32> (access_c7)}}
    %a = loop.load %x[%i + 1] : memref<16xf32>, vector<8xf32>
  }
  return
}

// -----

func.func @lanes_down(%x: memref<8x3xf32>) {
  // expected-error @+1 {{loop.load: subscript 0 runs from 2 to 8, outside of memref<8x3xf32> (access_c7)}}
  %a = loop.load %x[2, 1] along 0 stride 2 : memref<8x3xf32>, vector<4xf32>
  return
}

// -----

func.func @last_active_lane(%x: memref<8xf32>, %v: vector<4xf32>) {
  // expected-error @+1 {{loop.store: subscript 0 runs from 6 to 8, outside of memref<8xf32> (access_c7)}}
  loop.store %v, %x[6] active 3 : memref<8xf32>, vector<4xf32>
  return
}
