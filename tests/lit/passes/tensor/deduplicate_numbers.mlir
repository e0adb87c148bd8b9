// RUN: mlc-opt %s --deduplicate-kernels | filecheck %s
// RUN: mlc-opt %s --deduplicate-kernels --check-each --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// Two layers with limits and offsets of their own: one kernel, which takes what differs, once where it differs in the
// same way. What is equal stays in its code.
// CHECK-LABEL: func.func private @limit(
// CHECK-SAME: %x: tensor<4xf32>, %[[LOW:.*]]: tensor<f32>, %[[OFFSET:.*]]: tensor<i32>) -> tensor<4xi32>
// CHECK: tensor.map %x[n], %[[LOW]][] over (n: 4)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[L:.*]]: f32):
// CHECK-NEXT: %[[HIGH:.*]] = arith.constant 1.000000e+02 : f32
// CHECK-NEXT: arith.cmpf ogt, %[[A]], %[[L]]
// CHECK-NEXT: arith.select %{{.*}}, %[[A]], %[[L]]
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[HIGH]]
// CHECK: tensor.map %{{.*}}[n], %[[LOW]][], %[[OFFSET]][] over (n: 4)
// CHECK-NOT: @limit_1(
// REMARK: remark: 'limit_1' is the same as 'limit' but for numbers
func.func private @limit(%x: tensor<4xf32>) -> tensor<4xi32> {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %low = arith.constant -5.0 : f32
    %high = arith.constant 100.0 : f32
    %b = arith.cmpf ogt, %a, %low : f32
    %c = arith.select %b, %a, %low : f32
    %d = arith.cmpf olt, %c, %high : f32
    %e = arith.select %d, %c, %high : f32
    tensor.yield %e : f32
  }
  %1 = tensor.map %0[n] over (n: 4) : tensor<4xf32> -> tensor<4xi32> {
  ^bb0(%a: f32):
    %low = arith.constant -5.0 : f32
    %offset = arith.constant 5 : i32
    %b = arith.addf %a, %low : f32
    %c = arith.bitcast %b : f32 to i32
    %d = arith.addi %c, %offset : i32
    tensor.yield %d : i32
  }
  return %1 : tensor<4xi32>
}
func.func private @limit_1(%x: tensor<4xf32>) -> tensor<4xi32> {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %low = arith.constant -7.0 : f32
    %high = arith.constant 100.0 : f32
    %b = arith.cmpf ogt, %a, %low : f32
    %c = arith.select %b, %a, %low : f32
    %d = arith.cmpf olt, %c, %high : f32
    %e = arith.select %d, %c, %high : f32
    tensor.yield %e : f32
  }
  %1 = tensor.map %0[n] over (n: 4) : tensor<4xf32> -> tensor<4xi32> {
  ^bb0(%a: f32):
    %low = arith.constant -7.0 : f32
    %offset = arith.constant 7 : i32
    %b = arith.addf %a, %low : f32
    %c = arith.bitcast %b : f32 to i32
    %d = arith.addi %c, %offset : i32
    tensor.yield %d : i32
  }
  return %1 : tensor<4xi32>
}

// An exponent is no such number, nor is one by which an op becomes another one.
// CHECK-LABEL: func.func private @power(
// CHECK-LABEL: func.func private @power_1(
// CHECK-LABEL: func.func private @negative(
// CHECK-LABEL: func.func private @negative_1(
func.func private @power(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %e = arith.constant 3.0 : f32
    %b = arith.addf %a, %a : f32
    %c = arith.mulf %b, %a : f32
    %d = math.powf %c, %e : f32
    %f = arith.mulf %d, %d : f32
    %g = arith.mulf %f, %b : f32
    tensor.yield %g : f32
  }
  return %0 : tensor<4xf32>
}
func.func private @power_1(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %e = arith.constant 5.0 : f32
    %b = arith.addf %a, %a : f32
    %c = arith.mulf %b, %a : f32
    %d = math.powf %c, %e : f32
    %f = arith.mulf %d, %d : f32
    %g = arith.mulf %f, %b : f32
    tensor.yield %g : f32
  }
  return %0 : tensor<4xf32>
}
func.func private @negative(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %e = arith.constant -1.0 : f32
    %b = arith.addf %a, %a : f32
    %c = arith.mulf %b, %e : f32
    %d = arith.subf %c, %a : f32
    %f = arith.mulf %d, %d : f32
    %g = arith.mulf %f, %b : f32
    tensor.yield %g : f32
  }
  return %0 : tensor<4xf32>
}
func.func private @negative_1(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %e = arith.constant 0.7 : f32
    %b = arith.addf %a, %a : f32
    %c = arith.mulf %b, %e : f32
    %d = arith.subf %c, %a : f32
    %f = arith.mulf %d, %d : f32
    %g = arith.mulf %f, %b : f32
    tensor.yield %g : f32
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK: %[[MINUS_5:.*]] = arith.constant dense<-5.000000e+00> : tensor<f32>
// CHECK: %[[FIVE:.*]] = arith.constant dense<5> : tensor<i32>
// CHECK: call @limit(%x, %[[MINUS_5]], %[[FIVE]])
// CHECK: %[[MINUS_7:.*]] = arith.constant dense<-7.000000e+00> : tensor<f32>
// CHECK: %[[SEVEN:.*]] = arith.constant dense<7> : tensor<i32>
// CHECK: call @limit(%x, %[[MINUS_7]], %[[SEVEN]])
// CHECK: call @power(
// CHECK: call @power_1(
// CHECK: call @negative(
// CHECK: call @negative_1(
func.func @main(%x: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xf32>) {
  %0 = func.call @limit(%x) : (tensor<4xf32>) -> tensor<4xi32>
  %1 = func.call @limit_1(%x) : (tensor<4xf32>) -> tensor<4xi32>
  %2 = func.call @power(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = func.call @power_1(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = func.call @negative(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = func.call @negative_1(%4) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %5 : tensor<4xi32>, tensor<4xi32>, tensor<4xf32>
}
