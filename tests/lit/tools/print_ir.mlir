// RUN: mlc-opt %s --canonicalize --cse --print-ir-before=cse -o %t 2>&1 | filecheck %s --check-prefix=BEFORE
// RUN: mlc-opt %s --canonicalize --cse --print-ir-before-all -o %t 2>&1 | filecheck %s --check-prefix=ALL
// RUN: mlc-opt %s --cse --canonicalize --dce --print-ir-after-change -o %t 2>&1 | filecheck %s --check-prefix=CHANGE
// RUN: mlc-opt %s --cse --canonicalize --print-ir-after=cse --print-ir-after-change -o %t 2>&1 | filecheck %s --check-prefix=NONE --allow-empty
// RUN: mlc-opt %s --cse --canonicalize --print-ir-diff -o %t 2>&1 | filecheck %s --check-prefix=DIFF
// RUN: not mlc-opt %s --cse --print-ir-before=cs 2>&1 | filecheck %s --check-prefix=UNKNOWN

// BEFORE-NOT: IR before canonicalize
// BEFORE:     // -----// IR before cse //----- //
// BEFORE-NOT: graph.neg
// BEFORE:     func.return %x

// ALL:      // -----// IR before canonicalize //----- //
// ALL:      graph.neg
// ALL:      // -----// IR before cse //----- //
// ALL-NOT:  graph.neg

// CHANGE:     // -----// IR after canonicalize //----- //
// CHANGE-NOT: // -----//

// NONE-NOT: // -----//

// DIFF-NOT:  diff of cse
// DIFF:      // -----// IR diff of canonicalize //----- //
// DIFF-NEXT: {{^}}@@ -1,7 +1,5 @@
// DIFF-NEXT: {{^}} builtin.module {
// DIFF-NEXT: {{^}}   func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
// DIFF-NEXT: {{^}}-    %0 = graph.neg %x : tensor<4xf32>
// DIFF-NEXT: {{^}}-    %1 = graph.neg %0 : tensor<4xf32>
// DIFF-NEXT: {{^}}-    func.return %1 : tensor<4xf32>
// DIFF-NEXT: {{^}}+    func.return %x : tensor<4xf32>
// DIFF-NEXT: {{^}}   }
// DIFF-NEXT: {{^}} }

// UNKNOWN: error: --print-ir-before: unknown pass 'cs'; did you mean 'cse'?
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.neg %x : tensor<4xf32>
  %1 = graph.neg %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
