// RUN: mlc-opt %s --split-input-file --quantize-rows --target=sapphirerapids --remarks 2>&1 >%t | filecheck %s --check-prefix=WHY
// RUN: mlc-opt %s --split-input-file --quantize-rows --target=sapphirerapids --check-each | filecheck %s
// RUN: mlc-opt %s --split-input-file --quantize-rows --target=neoverse-n1 | filecheck %s --check-prefix=I8
// RUN: mlc-opt %s --split-input-file --quantize-rows --target=cortex-a72 --remarks 2>&1 >%t | filecheck %s --check-prefix=FLOAT
// RUN: mlc-opt %s --split-input-file --quantize-rows=least_gain=100 --target=sapphirerapids --remarks 2>&1 >%t | filecheck %s --check-prefix=GAIN

// Each block of a row is divided by a 127th of its largest size. The target says whether bytes have a sign; weights are
// counted from the least one, and what that adds is subtracted again. Both products of the rows read what is rounded.

// CHECK-LABEL: @blocks
// CHECK:         %[[U:.*]] = graph.constant dense_resource<w.bytes> : tensor<64x130xui8>
// CHECK:         %[[O:.*]] = graph.constant dense<8> : tensor<2x130xi8>
// CHECK:         %[[B:.*]] = graph.reshape %x : tensor<3x64xf32> -> tensor<3x2x32xf32>
// CHECK:         %[[A:.*]] = graph.abs %[[B]]
// CHECK:         %[[M:.*]] = graph.reduce max %[[A]] axes [2] : tensor<3x2x32xf32> -> tensor<3x2xf32>
// CHECK:         %[[MOST:.*]] = graph.constant dense<1.270000e+02>
// CHECK:         %[[D:.*]] = graph.div %[[M]], %[[MOST]]
// CHECK:         %[[LEAST:.*]] = graph.constant dense<1.17549435e-38>
// CHECK:         %[[T:.*]] = graph.max %[[D]], %[[LEAST]]
// CHECK:         %[[S:.*]] = graph.reshape %[[T]] : tensor<3x2xf32> -> tensor<3x2x1xf32>
// CHECK:         %[[Q:.*]] = graph.quantize %[[B]], %[[S]], {{.*}} -> tensor<3x2x32xi8>
// CHECK:         %[[F:.*]] = graph.cast %[[Q]]
// CHECK:         %[[SUM:.*]] = graph.reduce sum %[[F]] axes [2]
// CHECK:         %[[R:.*]] = graph.reshape %[[Q]] : tensor<3x2x32xi8> -> tensor<3x64xi8>
// CHECK:         %[[LESS:.*]] = graph.mul %[[SUM]], %[[T]]
// CHECK:         graph.scaled_matmul %[[R]], %[[U]], %s, %[[T]], %[[O]], %[[LESS]] : tensor<3x64xi8>, tensor<64x130xui8>, tensor<2x130xf32>, tensor<3x2xf32>, tensor<2x130xi8>, tensor<3x2xf32> -> tensor<3x130xf32>
// CHECK-NOT:     graph.quantize
// CHECK:         graph.scaled_matmul %[[R]], {{.*}}, %t, %[[T]] : tensor<3x64xi8>, tensor<64x130xui8>, tensor<2x130xf32>, tensor<3x2xf32> -> tensor<3x130xf32>
// WHY:           remark: rows are rounded to integers of 8 bits: estimated {{.*}} cycles a row in integers, {{.*}} cycles in f32
// I8-LABEL:    @blocks
// I8:            graph.scaled_matmul {{.*}} : tensor<3x64xi8>, tensor<64x130xi8>, tensor<2x130xf32>, tensor<3x2xf32>, tensor<2x130xi8>, tensor<3x2xf32> -> tensor<3x130xf32>
// FLOAT:         remark: rows stay floats: the target multiplies integers of 8 bits no faster
// GAIN:          remark: rows stay floats: estimated {{.*}} cycles a row in integers, {{.*}} cycles in f32
func.func @blocks(%x: tensor<3x64xf32>) -> (tensor<3x130xf32>, tensor<3x130xf32>) {
  %w = graph.constant dense<-8> : tensor<64x130xi8>
  %s = graph.constant dense<0.5> : tensor<2x130xf32>
  %v = graph.constant dense<0> : tensor<64x130xi8>
  %t = graph.constant dense<0.25> : tensor<2x130xf32>
  %y = graph.scaled_matmul %x, %w, %s : tensor<3x64xf32>, tensor<64x130xi8>, tensor<2x130xf32> -> tensor<3x130xf32>
  %z = graph.scaled_matmul %x, %v, %t : tensor<3x64xf32>, tensor<64x130xi8>, tensor<2x130xf32> -> tensor<3x130xf32>
  return %y, %z : tensor<3x130xf32>, tensor<3x130xf32>
}

// -----

// Zero points are those of the integers that are counted from the least one. The sums of floats are not needed any more.
// Blocks of another size are rounded by themselves.

// CHECK-LABEL: @zero_points
// CHECK:         %[[Z:.*]] = graph.constant dense<2.250000e+00> : tensor<2x130xf32>
// CHECK-NOT:     graph.reduce sum %g
// CHECK:         graph.scaled_matmul {{.*}}, %s, {{.*}}, %[[Z]], {{.*}} : tensor<3x64xi8>, tensor<64x130xui8>, tensor<2x130xf32>, tensor<3x2xf32>, tensor<2x130xf32>, tensor<3x2xf32> -> tensor<3x130xf32>
// CHECK:         graph.quantize {{.*}} -> tensor<3x4x16xi8>
// CHECK:         graph.scaled_matmul {{.*}} : tensor<3x64xi8>, tensor<64x130xui8>, tensor<4x130xf32>, tensor<3x4xf32>
func.func @zero_points(%x: tensor<3x64xf32>) -> (tensor<3x130xf32>, tensor<3x130xf32>) {
  %w = graph.constant dense<-2> : tensor<64x130xi8>
  %s = graph.constant dense<0.5> : tensor<2x130xf32>
  %o = graph.constant dense<0.25> : tensor<2x130xf32>
  %g = graph.reshape %x : tensor<3x64xf32> -> tensor<3x2x32xf32>
  %t = graph.reduce sum %g axes [2] : tensor<3x2x32xf32> -> tensor<3x2xf32>
  %y = graph.scaled_matmul %x, %w, %s, %o, %t : tensor<3x64xf32>, tensor<64x130xi8>, tensor<2x130xf32>, tensor<2x130xf32>, tensor<3x2xf32> -> tensor<3x130xf32>
  %u = graph.constant dense<0.125> : tensor<4x130xf32>
  %z = graph.scaled_matmul %x, %w, %u : tensor<3x64xf32>, tensor<64x130xi8>, tensor<4x130xf32> -> tensor<3x130xf32>
  return %y, %z : tensor<3x130xf32>, tensor<3x130xf32>
}

// -----

// One large number would decide how far many are rounded.

// CHECK-LABEL: @long_groups
// CHECK:         graph.scaled_matmul {{.*}} : tensor<3x512xi8>
// CHECK:         graph.scaled_matmul {{.*}} : tensor<3x512xf32>
// WHY:           remark: rows stay floats: groups of 512 numbers; required: at most 256
func.func @long_groups(%x: tensor<3x512xf32>) -> (tensor<3x130xf32>, tensor<3x130xf32>) {
  %w = graph.constant dense<-8> : tensor<512x130xi8>
  %t = graph.constant dense<0.5> : tensor<2x130xf32>
  %z = graph.scaled_matmul %x, %w, %t : tensor<3x512xf32>, tensor<512x130xi8>, tensor<2x130xf32> -> tensor<3x130xf32>
  %s = graph.constant dense<0.5> : tensor<1x130xf32>
  %y = graph.scaled_matmul %x, %w, %s : tensor<3x512xf32>, tensor<512x130xi8>, tensor<1x130xf32> -> tensor<3x130xf32>
  return %z, %y : tensor<3x130xf32>, tensor<3x130xf32>
}

// -----

// Weights, or zero points, that are not known.

// CHECK-LABEL: @others
// CHECK-NOT:     graph.quantize
// CHECK:         return
// WHY:           remark: rows stay floats: weights are not constants
// WHY:           remark: rows stay floats: weights are not constants
func.func @others(%x: tensor<3x64xf32>, %w: tensor<64x130xi8>, %o: tensor<2x130xf32>, %t: tensor<3x2xf32>) -> (tensor<3x130xf32>, tensor<3x130xf32>) {
  %s = graph.constant dense<0.5> : tensor<2x130xf32>
  %y = graph.scaled_matmul %x, %w, %s : tensor<3x64xf32>, tensor<64x130xi8>, tensor<2x130xf32> -> tensor<3x130xf32>
  %k = graph.constant dense<3> : tensor<64x130xi8>
  %z = graph.scaled_matmul %x, %k, %s, %o, %t : tensor<3x64xf32>, tensor<64x130xi8>, tensor<2x130xf32>, tensor<2x130xf32>, tensor<3x2xf32> -> tensor<3x130xf32>
  return %y, %z : tensor<3x130xf32>, tensor<3x130xf32>
}
