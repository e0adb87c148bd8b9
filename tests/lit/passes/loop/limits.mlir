// RUN: mlc-opt %s --convert-tensor-to-loop | filecheck %s --check-prefix=LOOPS
// RUN: mlc-opt %s --convert-tensor-to-loop --apply-schedule 2>&1 | filecheck %s
// NO-CHECK-EACH: what is after a limit is data, as no caller says otherwise

// The integer is read once: 1 if it is less, rounded up, times as many iterations as there are for each.
// LOOPS-LABEL: @rows
// LOOPS-NOT: limits =
// LOOPS: %[[N:.*]] = loop.load %n[] : memref<i64>
// LOOPS: %[[INDEX:.*]] = arith.index_cast %[[N]] : i64 to index
// LOOPS: %[[LESS:.*]] = arith.minsi %[[INDEX]], %{{.*}} : index
// LOOPS: %[[SUM:.*]] = arith.addi %[[LESS]], %{{.*}} : index
// LOOPS: %[[ONE:.*]] = arith.maxsi %[[SUM]], %{{.*}} : index
// LOOPS: arith.divui
// LOOPS: %[[UP:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// LOOPS: %[[LEAST:.*]] = arith.minsi %[[UP]], %{{.*}} : index
// LOOPS: %[[END:.*]] = arith.muli %[[LEAST]], %{{.*}} : index
// LOOPS: loop.for parallel "m" %{{.*}} = 0 to 192 limit %[[END]] by 32 {
// LOOPS-NEXT: loop.for parallel "n" %{{.*}} = 0 to 24 {

// A parallel loop may run on to the end of a block, so that it is tiled in any way; the limit stays with the blocks.
// CHECK-LABEL: @rows
// CHECK: loop.for parallel "m" %{{.*}} = 0 to 180 limit %{{.*}} by 32 step 20 {
// CHECK-NEXT: loop.for parallel "mi" %{{.*}} = 0 to 20 {
// CHECK-NEXT: loop.for parallel "n" %{{.*}} = 0 to 24 {
// CHECK: loop.for parallel "m" %{{.*}} = 180 to 192 limit %{{.*}} by 32 step 12 {
func.func private @rows(%x: tensor<192x24xf32>, %n: tensor<i64>) -> tensor<192x24xf32>
    attributes {limits = #loop.limits<m: argument 1 plus 1 by 8 times 4>, schedule = #loop.schedule<[tile(m, 20)]>} {
  %y = tensor.map %x[m, n] over (m: 192, n: 24) : tensor<192x24xf32> -> tensor<192x24xf32> {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    tensor.yield %s : f32
  }
  return %y : tensor<192x24xf32>
}

// A sum ends where the data ends: in blocks of which the limit is a multiple.
// CHECK-LABEL: @blocks
// CHECK: %[[MOST:.*]] = loop.for serial "k" %{{.*}} = 0 to 192 limit %[[LIMIT:.*]] by 16 step 16 iter_args
// CHECK-NEXT: loop.for serial "ki" %{{.*}} = 0 to 16 iter_args
// CHECK: loop.for serial "k" %{{.*}} = 192 to 200 limit %[[LIMIT]] by 16 step 8 iter_args(%{{.*}} = %[[MOST]])
func.func private @blocks(%x: tensor<200xf32>, %n: tensor<i64>) -> tensor<f32>
    attributes {limits = #loop.limits<k: argument 1 by 16>, schedule = #loop.schedule<[tile(k, 16)]>} {
  %y = tensor.reduce add %x[k] over () reduce (k: 200) : tensor<200xf32> -> tensor<f32>
  return %y : tensor<f32>
}

// As many lanes as a block may have; those after the last whole vector are one more step.
// CHECK-LABEL: @lanes
// CHECK: loop.for serial "k" %{{.*}} = 0 to 192 from %[[START:.*]] limit %[[LIMIT:.*]] by 16 step 16 iter_args(%{{.*}} = %{{.*}}) -> (vector<16xf32>)
// CHECK: loop.for serial "k" %{{.*}} = 192 to 200 from %[[START]] limit %[[LIMIT]] by 16 step 16 iter_args(%{{.*}} = %{{.*}}) -> (vector<16xf32>)
func.func private @lanes(%x: tensor<200xf32>, %n: tensor<i64>) -> tensor<f32>
    attributes {limits = #loop.limits<k: argument 1 by 16, k: from argument 1 plus -99 by 16>, schedule = #loop.schedule<[vectorize_reduction(k, 64)]>} {
  %y = tensor.reduce add %x[k] over () reduce (k: 200) : tensor<200xf32> -> tensor<f32>
  return %y : tensor<f32>
}

// CHECK-LABEL: @parts
// CHECK: loop.for serial "k" %{{.*}} = 0 to 192 limit %{{.*}} by 16 step 4 iter_args
func.func private @parts(%x: tensor<192xf32>, %n: tensor<i64>) -> tensor<f32>
    attributes {limits = #loop.limits<k: argument 1 by 16>, schedule = #loop.schedule<[split_reduction(k, 4)]>} {
  %y = tensor.reduce add %x[k] over () reduce (k: 192) : tensor<192xf32> -> tensor<f32>
  return %y : tensor<f32>
}

// Rows side by side carry a sum each.
// CHECK-LABEL: @rows_of_sums
// CHECK: loop.for parallel "m" %{{.*}} = 0 to 8 step 2 {
// CHECK: loop.for serial "k" %{{.*}} = 0 to 96 limit %{{.*}} by 16 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32)
func.func private @rows_of_sums(%x: tensor<8x96xf32>, %n: tensor<i64>) -> tensor<8xf32>
    attributes {limits = #loop.limits<k: argument 1 by 16>, schedule = #loop.schedule<[tile(m, 2), unroll(mi)]>} {
  %y = tensor.reduce add %x[m, k] over (m: 8) reduce (k: 96) : tensor<8x96xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// A start is rounded down, and is before the end; a loop that says no end has its upper bound.
// LOOPS-LABEL: @window
// LOOPS: %[[LEAST:.*]] = arith.constant -281474976710656 : index
// LOOPS: %[[MORE:.*]] = arith.maxsi %{{.*}}, %[[LEAST]] : index
// LOOPS: %[[SUM:.*]] = arith.addi %[[MORE]], %{{.*}} : index
// LOOPS: %[[NOT_NEGATIVE:.*]] = arith.maxsi %[[SUM]], %{{.*}} : index
// LOOPS: %[[BLOCKS:.*]] = arith.divui %[[NOT_NEGATIVE]], %{{.*}} : index
// LOOPS: %[[DOWN:.*]] = arith.muli %[[BLOCKS]], %{{.*}} : index
// LOOPS: %[[START:.*]] = arith.minsi %[[DOWN]], %[[LAST:.*]] : index
// LOOPS: loop.for serial "k" %{{.*}} = 0 to 200 from %[[START]] limit %{{.*}} by 16 iter_args
// CHECK-LABEL: @window
// CHECK: %[[MOST:.*]] = loop.for serial "k" %{{.*}} = 0 to 192 from %[[START:.*]] limit %[[LIMIT:.*]] by 16 step 16 iter_args
// CHECK-NEXT: loop.for serial "ki" %{{.*}} = 0 to 16 iter_args
// CHECK: loop.for serial "k" %{{.*}} = 192 to 200 from %[[START]] limit %[[LIMIT]] by 16 step 8 iter_args(%{{.*}} = %[[MOST]])
func.func private @window(%x: tensor<200xf32>, %n: tensor<i64>) -> tensor<f32>
    attributes {limits = #loop.limits<k: argument 1 by 16, k: from argument 1 plus -50 by 16>, schedule = #loop.schedule<[tile(k, 16)]>} {
  %y = tensor.reduce add %x[k] over () reduce (k: 200) : tensor<200xf32> -> tensor<f32>
  return %y : tensor<f32>
}

// LOOPS-LABEL: @from_there
// LOOPS: %[[END:.*]] = arith.constant 200 : index
// LOOPS: loop.for serial "k" %{{.*}} = 0 to 200 from %{{.*}} limit %[[END]] by 8 iter_args
// CHECK-LABEL: @from_there
func.func private @from_there(%x: tensor<200xf32>, %n: tensor<i64>) -> tensor<f32>
    attributes {limits = #loop.limits<k: from argument 1 by 8>} {
  %y = tensor.reduce add %x[k] over () reduce (k: 200) : tensor<200xf32> -> tensor<f32>
  return %y : tensor<f32>
}

// Loops change places with their limits.
// CHECK-LABEL: @places
// CHECK: loop.for parallel "n" %{{.*}} = 0 to 24 {
// CHECK-NEXT: loop.for parallel "m" %{{.*}} = 0 to 192 from %{{.*}} limit %{{.*}} by 16 {
func.func private @places(%x: tensor<192x24xf32>, %n: tensor<i64>) -> tensor<192x24xf32>
    attributes {limits = #loop.limits<m: argument 1 by 16, m: from argument 1 plus -64 by 16>, schedule = #loop.schedule<[interchange(n, m)]>} {
  %y = tensor.map %x[m, n] over (m: 192, n: 24) : tensor<192x24xf32> -> tensor<192x24xf32> {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    tensor.yield %s : f32
  }
  return %y : tensor<192x24xf32>
}
