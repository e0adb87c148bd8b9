// RUN: mlc-opt %s --allow-unregistered-dialect | filecheck %s

// What is at the edge, may never happen, or has subscripts that loops do not tell, stays.

// CHECK-LABEL: @edges
func.func @edges(%x: memref<8x3xf32>, %v: vector<4xf32>) {
  loop.for serial "i" %i = 0 to 8 {
    loop.for serial "j" %j = 0 to 3 {
      // CHECK: loop.load %x[%i * (-1) + 7, %j]
      %a = loop.load %x[7 - %i, %j] : memref<8x3xf32>
      // CHECK: loop.load %x[%i, %j * 2 + %j * (-1)]
      %b = loop.load %x[%i, %j * 2 - %j] : memref<8x3xf32>
    }
  }
  loop.for serial "i" %i = 0 to 11 step 4 {
    // CHECK: loop.load %x[%i{{.*}} floordiv 2, 0]
    %a = loop.load %x[%i floordiv 2, 0] : memref<8x3xf32>
  }
  // CHECK: along 0 stride 2
  %c = loop.load %x[1, 1] along 0 stride 2 : memref<8x3xf32>, vector<4xf32>
  // CHECK: active 2
  loop.store %v, %x[0, 1] active 2 : memref<8x3xf32>, vector<4xf32>
  return
}

// CHECK-LABEL: @never
func.func @never(%x: memref<8xf32>, %k: index) {
  loop.for serial "i" %i = 9 to 9 {
    // CHECK: loop.load %x[%i]
    %a = loop.load %x[%i] : memref<8xf32>
  }
  loop.for serial "i" %i = 0 to 4 {
    // CHECK: loop.load %x[%i{{.*}} + %k + 9]
    %a = loop.load %x[%i + %k + 9] : memref<8xf32>
    "test.maybe"() ({
      // CHECK: loop.load %x[9]
      %b = loop.load %x[9] : memref<8xf32>
      "test.end"() : () -> ()
    }) : () -> ()
  }
  return
}

// CHECK-LABEL: @other_block
func.func @other_block(%x: memref<8xf32>, %c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  // CHECK: loop.load %x[9]
  %a = loop.load %x[9] : memref<8xf32>
  cf.br ^bb2
^bb2:
  return
}
