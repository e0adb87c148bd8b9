// RUN: (mlc-opt %s --allow-unregistered-dialect --lower-to-loops "--reduce-while=message=no pattern" 2>&1) | filecheck %s --check-prefix=MESSAGE
// RUN: printf '#!/bin/sh\ngrep -q graph.exp "$1"\n' > %t.sh; chmod +x %t.sh
// RUN: (mlc-opt %s --allow-unregistered-dialect --reduce-while=script=%t.sh 2>&1) | filecheck %s --check-prefix=SCRIPT


// MESSAGE: // fails in: input
// MESSAGE-NOT: graph.
// MESSAGE: "other.op"(%x)
// SCRIPT: note: reduced from 6 to 4 ops
// SCRIPT-NOT: // mlc-opt
// SCRIPT-NOT: graph.neg
// SCRIPT: graph.exp %x
// SCRIPT-NEXT: func.return
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.neg %x : tensor<4xf32>
  %1 = graph.exp %0 : tensor<4xf32>
  %2 = "other.op"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
