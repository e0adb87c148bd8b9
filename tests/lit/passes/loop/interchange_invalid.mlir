// RUN: not mlc-opt %s --interchange="order=n" 2>&1 | filecheck %s

// CHECK: error: interchange: expected two or more loop names, outermost first, as in "order=n,m"
func.func private @f() {
  return
}

// RUN: not mlc-opt %s --interchange="order=n,n" 2>&1 | filecheck %s --check-prefix=TWICE
// TWICE: error: interchange: each loop has one place, found the order n, n
