// RUN: mlc explain %s linear_relu --target cortex-a53 | filecheck %s
// RUN: mlc explain %s --target cortex-a53 | filecheck %s --check-prefix=TABLE

// CHECK:      func.func private @linear_relu(
// CHECK-SAME: -> tensor<64x200xf32> {
// CHECK-NEXT:   tensor.contract %x[m, k], %w[k, n] over (m: 64, n: 200) reduce (k: 784)
// CHECK:      schedule
// CHECK:        tile(n, {{[0-9]+}}) {{.*}} blocks of
// CHECK:        vectorize({{.*}}) {{ +}}vectors of 4 lanes
// CHECK:      one call
// CHECK-NEXT:   flops      20.1 Mflop, 100% in multiply-adds
// CHECK-NEXT:   bytes      880 kB: what is read of operands, and results, once each
// CHECK-NEXT:   intensity  22.9 flop/B
// CHECK-NEXT:   bound by   compute: {{.*}} (planned for cortex-a53: 8 flop per cycle, 4 op per cycle, 4 B per cycle)
// CHECK-NEXT:   at least   2,518,400 cycles
// CHECK-NEXT:   measured   not here: this machine cannot run code for cortex-a53
// CHECK-NEXT:   products   of f32, by llvm.fmuladd
// CHECK-NEXT:   peak       100% of 8 flop per cycle for these
// CHECK:      estimated, for one core
// CHECK:        why        A call is estimated to take {{[0-9.]+}} times as long as its arithmetic needs at full speed
// CHECK-NEXT:   chosen as  the default of its template
// CHECK:      candidates of its template that were not taken
// CHECK-NEXT:   {{[0-9.]+ +}}times as long: {{.*; .*; (estimated to take longer|its estimate tells too little; mlc tune measures it|another one)}}
// CHECK:      one step away
// CHECK-NEXT:   {{[0-9.]+ +}}times as long: {{.*; .*; .*}}

// TABLE:      kernel {{ +}}calls
// TABLE-NEXT: linear_relu {{ +}}2 {{ +}}f32 {{ +}}20.1M {{ +}}880k {{ +}}22.9 {{ +}}compute {{ *}}2,518,400 cycles
// TABLE-NEXT: model {{ +}}2 {{ +}}40.2M
// TABLE:      This machine cannot run code for cortex-a53
func.func @main(%x: tensor<64x784xf32>, %z: tensor<64x784xf32>, %w: tensor<784x200xf32>, %b: tensor<200xf32>)
    -> (tensor<64x200xf32>, tensor<64x200xf32>) {
  %0 = graph.matmul %x, %w : tensor<64x784xf32>, tensor<784x200xf32> -> tensor<64x200xf32>
  %1 = graph.add %0, %b : tensor<64x200xf32>, tensor<200xf32> -> tensor<64x200xf32>
  %2 = graph.relu %1 : tensor<64x200xf32>
  %3 = graph.matmul %z, %w : tensor<64x784xf32>, tensor<784x200xf32> -> tensor<64x200xf32>
  %4 = graph.add %3, %b : tensor<64x200xf32>, tensor<200xf32> -> tensor<64x200xf32>
  %5 = graph.relu %4 : tensor<64x200xf32>
  return %2, %5 : tensor<64x200xf32>, tensor<64x200xf32>
}
