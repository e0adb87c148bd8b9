// Loops, and what is in them, stand where the op stands that they compute; what is told of them is told there.

// RUN: mlc-opt %s --lower-to-loops --print-debuginfo | filecheck %s
// RUN: mlc-opt %s --lower-to-tensor --schedule --lower-to-loops --apply-schedule --print-debuginfo --target=x86-64-v3 | filecheck %s --check-prefix=VECTORS
// RUN: mlc-opt %s --lower-to-loops --unroll="loops=n limit=2" --remarks 2>&1 | filecheck %s --check-prefix=REMARK

// REMARK: model.py:7:1: remark: loop 'n' not unrolled: 64 iterations, the limit is 2

// CHECK:      func.func private @relu
// CHECK-NEXT:   loop.for parallel "n"
// CHECK-NEXT:     loop.load %x[%n] : memref<64xf32> loc("model.py":7:1)
// CHECK:          loop.store {{.*}} loc("model.py":7:1)
// CHECK-NEXT:   } loc("model.py":7:1)
// CHECK-NEXT:   func.return loc("model.py":7:1)

// VECTORS:      loop.load {{.*}}, vector<8xf32> loc("model.py":7:1)
// VECTORS:      loop.store {{.*}}, vector<8xf32> loc("model.py":7:1)
// VECTORS:      } loc("model.py":7:1)
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = graph.relu %x : tensor<64xf32> loc("model.py":7:1)
  return %0 : tensor<64xf32>
}
