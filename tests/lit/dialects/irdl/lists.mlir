// Lists of operands, results, parameters and regions have names, as in LLVM 20, or none, as in LLVM 19.

// RUN: mlc-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: irdl.parameters(first: %0, second: %0)
// CHECK: irdl.parameters(%1, %1)
// CHECK: irdl.operands(lhs: %2, rhs: optional %2, variadic: variadic %2)
// CHECK-NEXT: irdl.results(single: %2)
// CHECK-NEXT: irdl.regions(body: %3)
// CHECK: irdl.operands(%4, optional %4, variadic %4)
// CHECK-NEXT: irdl.results(%4)
// CHECK-NEXT: irdl.regions(%5)
irdl.dialect @d {
  irdl.type @named {
    %0 = irdl.any
    irdl.parameters(first: %0, second: %0)
  }
  irdl.type @unnamed {
    %0 = irdl.any
    irdl.parameters(%0, %0)
  }
  irdl.operation @named_op {
    %0 = irdl.any
    %1 = irdl.region with size 1
    irdl.operands(lhs: %0, rhs: optional %0, variadic: variadic %0)
    irdl.results(single: single %0)
    irdl.regions(body: %1)
  }
  irdl.operation @unnamed_op {
    %0 = irdl.any
    %1 = irdl.region with size 1
    irdl.operands(%0, optional %0, variadic %0)
    irdl.results(single %0)
    irdl.regions(%1)
  }
}

// -----

irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    // expected-error @+1 {{either all entries have names or none has}}
    irdl.operands(lhs: %0, %0)
  }
}

// -----

irdl.dialect @d {
  irdl.type @t {
    %0 = irdl.any
    // expected-error @+1 {{expected a name with a colon or a value such as %0, got 'optional'}}
    irdl.parameters(optional %0)
  }
}
