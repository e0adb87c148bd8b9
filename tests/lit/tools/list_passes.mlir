// RUN: mlc-opt --list-passes | filecheck %s

// CHECK: --canonicalize
// CHECK-NEXT: {{^    [A-Z].*\.$}}
// CHECK-NEXT: {{^      }}max-rewrites-per-op: int (default: 100)
// CHECK: --cse

// Behind the passes stand the pipelines, each with its passes and the reasons for them.
// CHECK: --write-in-place
// CHECK: --lower-to-graph
// CHECK-NEXT: {{^    From any level above down to the graph level\.$}}
// CHECK-NEXT: {{^      graph   convert-onnx-to-graph  +a model of ONNX}}
// CHECK: --lower-to-loops
// CHECK: {{^      loop    convert-tensor-to-loop  +from what is computed to in which order}}
// CHECK-NEXT:       loop    convert-scf-to-loop {{.*}}
// CHECK-NEXT: --lower-to-tensor
