// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s

// CHECK-LABEL: @print
func.func @print(%v: vector<4xf32>) {
  // CHECK-NEXT: vector.print %v : vector<4xf32>
  vector.print %v : vector<4xf32>
  // CHECK-NEXT: vector.print %v : vector<4xf32> punctuation <comma>
  vector.print %v : vector<4xf32> punctuation <comma>
  // CHECK-NEXT: vector.print punctuation <open> {a}
  vector.print punctuation <open> {a}
  // CHECK-NEXT: vector.print str "text"
  vector.print str "text"
  return
}
