// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --canonicalize | filecheck %s --check-prefix=CANONICAL

// CHECK-LABEL: @kinds
func.func @kinds(%x: tensor<10x4xf32>, %i: tensor<2x3x1xi64>, %u: tensor<2x3x4xf32>) {
  // CHECK-NEXT: graph.scatter_nd set %x, %i, %u axes [0] : tensor<10x4xf32>, tensor<2x3x1xi64>, tensor<2x3x4xf32> -> tensor<10x4xf32>
  %0 = graph.scatter_nd set %x, %i, %u axes [0] : tensor<10x4xf32>, tensor<2x3x1xi64>, tensor<2x3x4xf32> -> tensor<10x4xf32>
  // CHECK-NEXT: graph.scatter_nd add
  %1 = graph.scatter_nd add %x, %i, %u axes [0] : tensor<10x4xf32>, tensor<2x3x1xi64>, tensor<2x3x4xf32> -> tensor<10x4xf32>
  // CHECK-NEXT: graph.scatter_nd mul
  %2 = graph.scatter_nd mul %x, %i, %u axes [0] : tensor<10x4xf32>, tensor<2x3x1xi64>, tensor<2x3x4xf32> -> tensor<10x4xf32>
  // CHECK-NEXT: graph.scatter_nd max
  %3 = graph.scatter_nd max %x, %i, %u axes [0] : tensor<10x4xf32>, tensor<2x3x1xi64>, tensor<2x3x4xf32> -> tensor<10x4xf32>
  // CHECK-NEXT: graph.scatter_nd min
  %4 = graph.scatter_nd min %x, %i, %u axes [0] : tensor<10x4xf32>, tensor<2x3x1xi64>, tensor<2x3x4xf32> -> tensor<10x4xf32>
  return
}

// CHECK-LABEL: @along_an_axis
func.func @along_an_axis(%mask: tensor<2x10x5xi1>, %i: tensor<2x3x5x1xi32>, %u: tensor<2x3x5xi1>) {
  // CHECK-NEXT: graph.scatter_nd set %mask, %i, %u axes [1] own [0, 2] : tensor<2x10x5xi1>, tensor<2x3x5x1xi32>, tensor<2x3x5xi1> -> tensor<2x10x5xi1>
  %0 = graph.scatter_nd set %mask, %i, %u axes [1] own [0, 2] : tensor<2x10x5xi1>, tensor<2x3x5x1xi32>, tensor<2x3x5xi1> -> tensor<2x10x5xi1>
  return
}

// CANONICAL-LABEL: @no_updates
// CANONICAL-NEXT: return %x
func.func @no_updates(%x: tensor<10x4xf32>, %i: tensor<0x1xi64>, %u: tensor<0x4xf32>) -> tensor<10x4xf32> {
  %0 = graph.scatter_nd add %x, %i, %u axes [0] : tensor<10x4xf32>, tensor<0x1xi64>, tensor<0x4xf32> -> tensor<10x4xf32>
  return %0 : tensor<10x4xf32>
}

// CANONICAL-LABEL: @some_updates
// CANONICAL-NEXT: graph.scatter_nd
func.func @some_updates(%x: tensor<10x4xf32>, %i: tensor<1x1xi64>, %u: tensor<1x4xf32>) -> tensor<10x4xf32> {
  %0 = graph.scatter_nd add %x, %i, %u axes [0] : tensor<10x4xf32>, tensor<1x1xi64>, tensor<1x4xf32> -> tensor<10x4xf32>
  return %0 : tensor<10x4xf32>
}
