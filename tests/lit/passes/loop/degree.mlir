// RUN: mlc-opt %s --apply-schedule="accuracy=fast" --expand-math --check-each --target=x86-64-v4 2>%t | filecheck %s
// RUN: mlc-opt %s --apply-schedule="accuracy=fast" | mlc-opt | filecheck %s --check-prefix=SAID
// RUN: mlc-opt %s --apply-schedule 2>&1 >%t | filecheck %s --check-prefix=EXACT
// RUN: not mlc-opt %s --apply-schedule="accuracy=low" 2>&1 | filecheck %s --check-prefix=WRONG
// WRONG: error: apply-schedule: found accuracy 'low'; required: exact or fast

// A term less than as a rule, and the kernel says so. In four lanes, r is in a wider interval, and there are as many.
// SAID: func.func private @exp({{.*}}) attributes {mlc.degrees = {exp = 5 : i64}} {
// CHECK-LABEL: @exp
// CHECK-NOT: dense<0.00138824969> : vector<16xf32>
// CHECK: dense<0.00826592743> : vector<16xf32>
// CHECK: dense<0.000196108347> : vector<4xf32>
// EXACT: warning: schedule step 'degree(exp, 5)': function 'exp' stays as it is: exp would be off by up to 2.3 units in the last place, where 2.0 are allowed; --accuracy fast allows more, or --apply-schedule=accuracy=fast for the pass alone
func.func private @exp(%x: memref<20xf32>, %y: memref<20xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[degree(exp, 5)]>} {
  %a = loop.load %x[0] : memref<20xf32>, vector<16xf32>
  %b = math.exp %a : vector<16xf32>
  loop.store %b, %y[0] : memref<20xf32>, vector<16xf32>
  %c = loop.load %x[16] : memref<20xf32>, vector<4xf32>
  %d = math.exp %c : vector<4xf32>
  loop.store %d, %y[16] : memref<20xf32>, vector<4xf32>
  return
}

// On an interval twice as wide, 6 is as good as 4 is. --check-each knows how good that is.
// CHECK-LABEL: @four
// CHECK: dense<0.0414182693> : vector<16xf32>
// CHECK: dense<0.00138729753> : vector<4xf32>
func.func private @four(%x: memref<20xf32>, %y: memref<20xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[degree(exp, 4)]>} {
  %a = loop.load %x[0] : memref<20xf32>, vector<16xf32>
  %b = math.exp %a : vector<16xf32>
  loop.store %b, %y[0] : memref<20xf32>, vector<16xf32>
  %c = loop.load %x[16] : memref<20xf32>, vector<4xf32>
  %d = math.exp %c : vector<4xf32>
  loop.store %d, %y[16] : memref<20xf32>, vector<4xf32>
  return
}

// The rule is allowed; there is none for f64.
// SAID: func.func private @rule({{.*}}) attributes {mlc.degrees = {exp = 6 : i64}} {
// CHECK-LABEL: @rule
// CHECK: dense<0.00138824969> : vector<16xf32>
// EXACT-NOT: function 'rule'
// EXACT: warning: schedule step 'degree(exp, 6)': function 'double' stays as it is: it computes no exp of f32
func.func private @rule(%x: memref<16xf32>, %y: memref<16xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[degree(exp, 6)]>} {
  %a = loop.load %x[0] : memref<16xf32>, vector<16xf32>
  %b = math.exp %a : vector<16xf32>
  loop.store %b, %y[0] : memref<16xf32>, vector<16xf32>
  return
}
func.func private @double(%x: memref<4xf64>, %y: memref<4xf64> {mlc.output})
    attributes {schedule = #loop.schedule<[degree(exp, 6)]>} {
  %c = loop.load %x[0] : memref<4xf64>, vector<4xf64>
  %d = math.exp %c : vector<4xf64>
  loop.store %d, %y[0] : memref<4xf64>, vector<4xf64>
  return
}
