// RUN: mlc-opt --pass-pipeline='merge-products{target=x86-64-v4}' --remarks %s 2>&1 >%t | filecheck %s --check-prefix=WIDE
// RUN: filecheck %s --input-file %t
// RUN: mlc-opt --pass-pipeline='merge-products{target=x86-64-v3}' --remarks %s 2>&1 >%t | filecheck %s --check-prefix=NARROW
// RUN: mlc-opt --pass-pipeline='merge-products{target=x86-64-v4 threads=4}' --remarks %s 2>&1 >%t | filecheck %s --check-prefix=THREADS
// RUN: mlc-opt -O3 --target x86-64-v4 --emit=mlir:graph --remarks %s 2>&1 >%t | filecheck %s --check-prefix=DEFAULT

// 24 columns are one and a half vectors of 16, but three of 8.
// WIDE: remark: merged with 1 other product of the same input (graph.matmul at {{[0-9]+:8}}): estimated 1.{{[2-4].}} times as fast
// NARROW: remark: not merged with 1 other product of the same input (graph.matmul at {{[0-9]+:8}}): estimated 1.0{{.}} times as fast, required 1.05
// CHECK-LABEL: @narrow
// CHECK: graph.matmul %x, %{{.*}} -> tensor<784x48xf32>
// DEFAULT: remark: merged with 1 other product of the same input
func.func @narrow(%x: tensor<784x192xf32>) -> (tensor<784x24xf32>, tensor<784x24xf32>) {
  %w0 = graph.constant dense<0.5> : tensor<192x24xf32>
  %w1 = graph.constant dense<0.25> : tensor<192x24xf32>
  %0 = graph.matmul %x, %w0 : tensor<784x192xf32>, tensor<192x24xf32> -> tensor<784x24xf32>
  %1 = graph.softmax %0 axis 1 : tensor<784x24xf32>
  %2 = graph.matmul %x, %w1 : tensor<784x192xf32>, tensor<192x24xf32> -> tensor<784x24xf32>
  %3 = graph.softmax %2 axis 1 : tensor<784x24xf32>
  return %1, %3 : tensor<784x24xf32>, tensor<784x24xf32>
}

// Matrices that fill lanes and registers on their own gain nothing, and a copy costs; but threads are called once.
// WIDE: remark: not merged with 1 other product of the same input (graph.matmul at {{[0-9]+:8}}): estimated 1.00 times as fast
// THREADS: remark: not merged with 1 other product of the same input
// CHECK-LABEL: @wide
// CHECK-COUNT-2: graph.matmul
func.func @wide(%x: tensor<784x192xf32>) -> (tensor<784x192xf32>, tensor<784x192xf32>) {
  %w0 = graph.constant dense<0.5> : tensor<192x192xf32>
  %w1 = graph.constant dense<0.25> : tensor<192x192xf32>
  %0 = graph.matmul %x, %w0 : tensor<784x192xf32>, tensor<192x192xf32> -> tensor<784x192xf32>
  %1 = graph.softmax %0 axis 1 : tensor<784x192xf32>
  %2 = graph.matmul %x, %w1 : tensor<784x192xf32>, tensor<192x192xf32> -> tensor<784x192xf32>
  %3 = graph.softmax %2 axis 1 : tensor<784x192xf32>
  return %1, %3 : tensor<784x192xf32>, tensor<784x192xf32>
}
// WIDE: remark: not merged with 1 other product of the same input (graph.matmul at {{[0-9]+:8}}): estimated 1.00 times as fast
// THREADS: remark: merged with 1 other product of the same input
func.func @called_once(%x: tensor<1x512xf32>) -> (tensor<1x512xf32>, tensor<1x512xf32>) {
  %w0 = graph.constant dense<0.5> : tensor<512x512xf32>
  %w1 = graph.constant dense<0.25> : tensor<512x512xf32>
  %0 = graph.matmul %x, %w0 : tensor<1x512xf32>, tensor<512x512xf32> -> tensor<1x512xf32>
  %1 = graph.softmax %0 axis 1 : tensor<1x512xf32>
  %2 = graph.matmul %x, %w1 : tensor<1x512xf32>, tensor<512x512xf32> -> tensor<1x512xf32>
  %3 = graph.softmax %2 axis 1 : tensor<1x512xf32>
  return %1, %3 : tensor<1x512xf32>, tensor<1x512xf32>
}

// Of three, the two that leave lanes empty are merged, and the one that does not stays. Each part is where its product was.
// WIDE: remark: merged with 1 other product of the same input
// DEFAULT: [[# @LINE + 9]]:8: remark: graph.matmul -> graph.slice: not fused: graph.slice moves data
// DEFAULT-NEXT: [[# @LINE + 10]]:8: remark: graph.matmul -> graph.slice: not fused: graph.slice moves data
// CHECK-LABEL: @some
// CHECK: graph.matmul %x, %{{.*}} -> tensor<784x48xf32>
// CHECK: graph.matmul %x, %{{.*}} -> tensor<784x1024xf32>
func.func @some(%x: tensor<784x192xf32>) -> (tensor<784x24xf32>, tensor<784x1024xf32>, tensor<784x24xf32>) {
  %w0 = graph.constant dense<0.5> : tensor<192x24xf32>
  %w1 = graph.constant dense<0.25> : tensor<192x1024xf32>
  %w2 = graph.constant dense<0.75> : tensor<192x24xf32>
  %0 = graph.matmul %x, %w0 : tensor<784x192xf32>, tensor<192x24xf32> -> tensor<784x24xf32>
  %1 = graph.matmul %x, %w1 : tensor<784x192xf32>, tensor<192x1024xf32> -> tensor<784x1024xf32>
  %2 = graph.matmul %x, %w2 : tensor<784x192xf32>, tensor<192x24xf32> -> tensor<784x24xf32>
  return %0, %1, %2 : tensor<784x24xf32>, tensor<784x1024xf32>, tensor<784x24xf32>
}
