// RUN: mlc-opt --list-passes | filecheck %s

// CHECK: --canonicalize
// CHECK-NEXT: {{^    [A-Z].*\.$}}
// CHECK-NEXT: {{^      }}max-rewrites-per-op: int (default: 100)
// CHECK: --cse
