// RUN: mlc-opt %s --split-input-file --use-short-weights --target=sapphirerapids --remarks 2>&1 >%t | filecheck %s --check-prefix=WHY
// RUN: mlc-opt %s --split-input-file --use-short-weights --target=sapphirerapids --check-each | filecheck %s
// RUN: mlc-opt %s --split-input-file --use-short-weights --target=neoverse-n1 --check-each | filecheck %s --check-prefix=I8
// RUN: mlc-opt %s --split-input-file --use-short-weights --target=cortex-a72 --check-each | filecheck %s --check-prefix=FLOAT

// Rows and weights have scales for groups of as many numbers. Weights are counted from the least of them, and what they
// are off by is multiplied with the sums of groups. The target says whether bytes have a sign, and whether there are
// products of them.

// CHECK-LABEL: @groups
// CHECK:         %w_offset = graph.constant dense<-1> : tensor<4x130xi8>
// CHECK:         %w_scale = graph.constant dense_resource<w.scale> : tensor<4x130xf32>
// CHECK:         %w_integers = graph.constant dense_resource<w.integers> : tensor<128x130xui8>
// CHECK:         %[[X:.*]] = graph.reshape %p : tensor<2x4x32xi8> -> tensor<2x128xi8>
// CHECK:         %[[S:.*]] = graph.reshape %t : tensor<2x4x1xf32> -> tensor<2x4xf32>
// CHECK:         %[[G:.*]] = graph.reshape %[[X]] : tensor<2x128xi8> -> tensor<2x4x32xi8>
// CHECK:         %[[F:.*]] = graph.cast %[[G]] : tensor<2x4x32xi8> -> tensor<2x4x32xf32>
// CHECK:         %[[SUM:.*]] = graph.reduce sum %[[F]] axes [2] : tensor<2x4x32xf32> -> tensor<2x4xf32>
// CHECK:         %[[LESS:.*]] = graph.mul %[[SUM]], %[[S]]
// CHECK:         graph.scaled_matmul %[[X]], %w_integers, %w_scale, %[[S]], %w_offset, %[[LESS]] : tensor<2x128xi8>, tensor<128x130xui8>, tensor<4x130xf32>, tensor<2x4xf32>, tensor<4x130xi8>, tensor<2x4xf32> -> tensor<2x130xf32>
// I8-LABEL:    @groups
// I8:            graph.scaled_matmul {{.*}} : tensor<2x128xi8>, tensor<128x130xi8>, tensor<4x130xf32>, tensor<2x4xf32>, tensor<4x130xi8>, tensor<2x4xf32> -> tensor<2x130xf32>
// FLOAT-LABEL: @groups
// FLOAT:         graph.dequantize
// FLOAT:         graph.scaled_matmul {{.*}} : tensor<2x128xf32>, tensor<128x130xi8>, tensor<1x130xf32> -> tensor<2x130xf32>
func.func @groups(%p: tensor<2x4x32xi8>, %t: tensor<2x4x1xf32>) -> tensor<2x130xf32> {
  %zero = graph.constant dense<0> : tensor<i8>
  %f = graph.dequantize %p, %t, %zero : tensor<2x4x32xi8>, tensor<2x4x1xf32>, tensor<i8> -> tensor<2x4x32xf32>
  %x = graph.reshape %f : tensor<2x4x32xf32> -> tensor<2x128xf32>
  %q = graph.constant dense<9> : tensor<128x130xui8>
  %s = graph.constant dense<0.5> : tensor<1x130xf32>
  %z = graph.constant dense<8> : tensor<ui8>
  %w = graph.dequantize %q, %s, %z : tensor<128x130xui8>, tensor<1x130xf32>, tensor<ui8> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<2x128xf32>, tensor<128x130xf32> -> tensor<2x130xf32>
  return %y : tensor<2x130xf32>
}

// -----

// Of a last group that is cut off, the rest is 0, whatever was there.

// FLOAT-LABEL: @cut
// CHECK-LABEL: @cut
// CHECK:         %[[X:.*]] = graph.reshape %p : tensor<2x4x32xi8> -> tensor<2x128xi8>
// CHECK:         %[[S:.*]] = graph.slice %[[X]] starts [0, 0] ends [2, 127] strides [1, 1] : tensor<2x128xi8> -> tensor<2x127xi8>
// CHECK:         graph.pad %[[S]] low [0, 0] high [0, 1] with 0 : i8 : tensor<2x127xi8> -> tensor<2x128xi8>
// CHECK:         graph.scaled_matmul {{.*}} : tensor<2x128xi8>
func.func @cut(%p: tensor<2x4x32xi8>, %t: tensor<2x4x1xf32>) -> tensor<2x130xf32> {
  %zero = graph.constant dense<0> : tensor<i8>
  %f = graph.dequantize %p, %t, %zero : tensor<2x4x32xi8>, tensor<2x4x1xf32>, tensor<i8> -> tensor<2x4x32xf32>
  %r = graph.reshape %f : tensor<2x4x32xf32> -> tensor<2x128xf32>
  %x = graph.slice %r starts [0, 0] ends [2, 127] strides [1, 1] : tensor<2x128xf32> -> tensor<2x127xf32>
  %q = graph.constant dense<9> : tensor<127x130xui8>
  %s = graph.constant dense<0.5> : tensor<1x130xf32>
  %z = graph.constant dense<8> : tensor<ui8>
  %w = graph.dequantize %q, %s, %z : tensor<127x130xui8>, tensor<1x130xf32>, tensor<ui8> -> tensor<127x130xf32>
  %y = graph.matmul %x, %w : tensor<2x127xf32>, tensor<127x130xf32> -> tensor<2x130xf32>
  return %y : tensor<2x130xf32>
}

// -----

// Who quantises to ui8 quantises to i8. Weights of eight bits stay as they are, or are moved to where they have a sign;
// without a zero point nothing is subtracted.

// CHECK-LABEL: @signed
// CHECK:         graph.quantize %{{.*}} : tensor<2x4x32xf32>, tensor<2x4x1xf32>, tensor<i8> -> tensor<2x4x32xi8>
// CHECK:         graph.scaled_matmul {{.*}} : tensor<2x128xi8>, tensor<128x130xui8>, tensor<4x130xf32>, tensor<2x4xf32> -> tensor<2x130xf32>
// I8-LABEL:    @signed
// I8:            %w_offset = graph.constant dense<-73> : tensor<4x130xi8>
func.func @signed(%a: tensor<2x4x32xf32>, %t: tensor<2x4x1xf32>) -> tensor<2x130xf32> {
  %zero = graph.constant dense<128> : tensor<ui8>
  %p = graph.quantize %a, %t, %zero : tensor<2x4x32xf32>, tensor<2x4x1xf32>, tensor<ui8> -> tensor<2x4x32xui8>
  %f = graph.dequantize %p, %t, %zero : tensor<2x4x32xui8>, tensor<2x4x1xf32>, tensor<ui8> -> tensor<2x4x32xf32>
  %x = graph.reshape %f : tensor<2x4x32xf32> -> tensor<2x128xf32>
  %c = graph.constant dense<[[[100]], [[200]]]> : tensor<2x1x1xui8>
  %b = graph.broadcast %c : tensor<2x1x1xui8> -> tensor<2x64x130xui8>
  %q = graph.reshape %b : tensor<2x64x130xui8> -> tensor<128x130xui8>
  %s = graph.constant dense<0.5> : tensor<1x130xf32>
  %z = graph.constant dense<0> : tensor<ui8>
  %w = graph.dequantize %q, %s, %z : tensor<128x130xui8>, tensor<1x130xf32>, tensor<ui8> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<2x128xf32>, tensor<128x130xf32> -> tensor<2x130xf32>
  return %y : tensor<2x130xf32>
}

// -----

// Rows of another zero point are floats.

// CHECK-LABEL: @zero_point
// CHECK:         graph.scaled_matmul {{.*}} : tensor<{{[0-9x]*}}xf32>, tensor<{{[0-9x]*}}xi8>
func.func @zero_point(%p: tensor<2x4x32xi8>, %t: tensor<2x4x1xf32>) -> tensor<2x130xf32> {
  %zero = graph.constant dense<1> : tensor<i8>
  %f = graph.dequantize %p, %t, %zero : tensor<2x4x32xi8>, tensor<2x4x1xf32>, tensor<i8> -> tensor<2x4x32xf32>
  %x = graph.reshape %f : tensor<2x4x32xf32> -> tensor<2x128xf32>
  %q = graph.constant dense<9> : tensor<128x130xui8>
  %s = graph.constant dense<0.5> : tensor<1x130xf32>
  %z = graph.constant dense<8> : tensor<ui8>
  %w = graph.dequantize %q, %s, %z : tensor<128x130xui8>, tensor<1x130xf32>, tensor<ui8> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<2x128xf32>, tensor<128x130xf32> -> tensor<2x130xf32>
  return %y : tensor<2x130xf32>
}

// -----

// So are those that are moved otherwise, ...

// CHECK-LABEL: @moved
// CHECK:         graph.scaled_matmul {{.*}} : tensor<{{[0-9x]*}}xf32>, tensor<{{[0-9x]*}}xi8>
func.func @moved(%p: tensor<2x4x32xi8>, %t: tensor<2x4x1xf32>) -> tensor<2x130xf32> {
  %zero = graph.constant dense<0> : tensor<i8>
  %f = graph.dequantize %p, %t, %zero : tensor<2x4x32xi8>, tensor<2x4x1xf32>, tensor<i8> -> tensor<2x4x32xf32>
  %m = graph.transpose %f [0, 2, 1] : tensor<2x4x32xf32> -> tensor<2x32x4xf32>
  %x = graph.reshape %m : tensor<2x32x4xf32> -> tensor<2x128xf32>
  %q = graph.constant dense<9> : tensor<128x130xui8>
  %s = graph.constant dense<0.5> : tensor<1x130xf32>
  %z = graph.constant dense<8> : tensor<ui8>
  %w = graph.dequantize %q, %s, %z : tensor<128x130xui8>, tensor<1x130xf32>, tensor<ui8> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<2x128xf32>, tensor<128x130xf32> -> tensor<2x130xf32>
  return %y : tensor<2x130xf32>
}

// -----

// ... cut elsewhere, ...

// CHECK-LABEL: @cut_elsewhere
// CHECK:         graph.scaled_matmul {{.*}} : tensor<{{[0-9x]*}}xf32>, tensor<{{[0-9x]*}}xi8>
func.func @cut_elsewhere(%p: tensor<2x4x32xi8>, %t: tensor<2x4x1xf32>) -> tensor<2x140xf32> {
  %zero = graph.constant dense<0> : tensor<i8>
  %f = graph.dequantize %p, %t, %zero : tensor<2x4x32xi8>, tensor<2x4x1xf32>, tensor<i8> -> tensor<2x4x32xf32>
  %m = graph.slice %f starts [0, 0, 0] ends [2, 4, 31] strides [1, 1, 1] : tensor<2x4x32xf32> -> tensor<2x4x31xf32>
  %x = graph.reshape %m : tensor<2x4x31xf32> -> tensor<2x124xf32>
  %q = graph.constant dense<9> : tensor<124x140xui8>
  %s = graph.constant dense<0.5> : tensor<1x140xf32>
  %z = graph.constant dense<8> : tensor<ui8>
  %w = graph.dequantize %q, %s, %z : tensor<124x140xui8>, tensor<1x140xf32>, tensor<ui8> -> tensor<124x140xf32>
  %y = graph.matmul %x, %w : tensor<2x124xf32>, tensor<124x140xf32> -> tensor<2x140xf32>
  return %y : tensor<2x140xf32>
}

// -----

// ... begin later, ...

// CHECK-LABEL: @later
// CHECK:         graph.scaled_matmul {{.*}} : tensor<{{[0-9x]*}}xf32>, tensor<{{[0-9x]*}}xi8>
func.func @later(%p: tensor<2x4x32xi8>, %t: tensor<2x4x1xf32>) -> tensor<2x130xf32> {
  %zero = graph.constant dense<0> : tensor<i8>
  %f = graph.dequantize %p, %t, %zero : tensor<2x4x32xi8>, tensor<2x4x1xf32>, tensor<i8> -> tensor<2x4x32xf32>
  %r = graph.reshape %f : tensor<2x4x32xf32> -> tensor<2x128xf32>
  %x = graph.slice %r starts [0, 1] ends [2, 128] strides [1, 1] : tensor<2x128xf32> -> tensor<2x127xf32>
  %q = graph.constant dense<9> : tensor<127x130xui8>
  %s = graph.constant dense<0.5> : tensor<1x130xf32>
  %z = graph.constant dense<8> : tensor<ui8>
  %w = graph.dequantize %q, %s, %z : tensor<127x130xui8>, tensor<1x130xf32>, tensor<ui8> -> tensor<127x130xf32>
  %y = graph.matmul %x, %w : tensor<2x127xf32>, tensor<127x130xf32> -> tensor<2x130xf32>
  return %y : tensor<2x130xf32>
}

// -----

// ... or are groups across rows.

// CHECK-LABEL: @across
// CHECK:         graph.scaled_matmul {{.*}} : tensor<{{[0-9x]*}}xf32>, tensor<{{[0-9x]*}}xi8>
func.func @across(%p: tensor<1x2x256xi8>, %t: tensor<1x2x1xf32>) -> tensor<4x130xf32> {
  %zero = graph.constant dense<0> : tensor<i8>
  %f = graph.dequantize %p, %t, %zero : tensor<1x2x256xi8>, tensor<1x2x1xf32>, tensor<i8> -> tensor<1x2x256xf32>
  %x = graph.reshape %f : tensor<1x2x256xf32> -> tensor<4x128xf32>
  %q = graph.constant dense<9> : tensor<128x130xui8>
  %s = graph.constant dense<0.5> : tensor<1x130xf32>
  %z = graph.constant dense<8> : tensor<ui8>
  %w = graph.dequantize %q, %s, %z : tensor<128x130xui8>, tensor<1x130xf32>, tensor<ui8> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<4x128xf32>, tensor<128x130xf32> -> tensor<4x130xf32>
  return %y : tensor<4x130xf32>
}

// -----

// Groups of weights are shorter.

// CHECK-LABEL: @other_groups
// CHECK:         graph.scaled_matmul {{.*}} : tensor<{{[0-9x]*}}xf32>, tensor<{{[0-9x]*}}xi8>
// WHY:           remark: products are those of floats: groups of 16 rows share a scale, and those of the first factor are 32
func.func @other_groups(%p: tensor<2x4x32xi8>, %t: tensor<2x4x1xf32>) -> tensor<2x130xf32> {
  %zero = graph.constant dense<0> : tensor<i8>
  %f = graph.dequantize %p, %t, %zero : tensor<2x4x32xi8>, tensor<2x4x1xf32>, tensor<i8> -> tensor<2x4x32xf32>
  %x = graph.reshape %f : tensor<2x4x32xf32> -> tensor<2x128xf32>
  %q = graph.constant dense<9> : tensor<8x16x130xui8>
  %s = graph.constant dense<[[[0.5]], [[1.0]], [[2.0]], [[3.0]], [[0.5]], [[1.0]], [[2.0]], [[3.0]]]> : tensor<8x1x1xf32>
  %z = graph.constant dense<8> : tensor<ui8>
  %d = graph.dequantize %q, %s, %z : tensor<8x16x130xui8>, tensor<8x1x1xf32>, tensor<ui8> -> tensor<8x16x130xf32>
  %w = graph.reshape %d : tensor<8x16x130xf32> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<2x128xf32>, tensor<128x130xf32> -> tensor<2x130xf32>
  return %y : tensor<2x130xf32>
}

// -----

// Rows that are cut, and then become others, are floats.

// CHECK-LABEL: @cut_and_joined
// CHECK:         graph.scaled_matmul {{.*}} : tensor<4x64xf32>
func.func @cut_and_joined(%p: tensor<2x4x32xi8>, %t: tensor<2x4x1xf32>) -> tensor<4x300xf32> {
  %zero = graph.constant dense<0> : tensor<i8>
  %f = graph.dequantize %p, %t, %zero : tensor<2x4x32xi8>, tensor<2x4x1xf32>, tensor<i8> -> tensor<2x4x32xf32>
  %r = graph.reshape %f : tensor<2x4x32xf32> -> tensor<2x128xf32>
  %c = graph.slice %r starts [0, 0] ends [2, 120] strides [1, 1] : tensor<2x128xf32> -> tensor<2x120xf32>
  %x = graph.reshape %c : tensor<2x120xf32> -> tensor<4x60xf32>
  %q = graph.constant dense<9> : tensor<60x300xui8>
  %s = graph.constant dense<0.5> : tensor<1x300xf32>
  %z = graph.constant dense<8> : tensor<ui8>
  %w = graph.dequantize %q, %s, %z : tensor<60x300xui8>, tensor<1x300xf32>, tensor<ui8> -> tensor<60x300xf32>
  %y = graph.matmul %x, %w : tensor<4x60xf32>, tensor<60x300xf32> -> tensor<4x300xf32>
  return %y : tensor<4x300xf32>
}

// -----

// One scale for all is none for each group.

// CHECK-LABEL: @one_scale
// CHECK:         graph.scaled_matmul {{.*}} : tensor<2x128xf32>
func.func @one_scale(%p: tensor<2x4x32xi8>, %t: tensor<1x1x1xf32>) -> tensor<2x130xf32> {
  %zero = graph.constant dense<0> : tensor<i8>
  %f = graph.dequantize %p, %t, %zero : tensor<2x4x32xi8>, tensor<1x1x1xf32>, tensor<i8> -> tensor<2x4x32xf32>
  %x = graph.reshape %f : tensor<2x4x32xf32> -> tensor<2x128xf32>
  %q = graph.constant dense<9> : tensor<128x130xui8>
  %s = graph.constant dense<0.5> : tensor<1x130xf32>
  %z = graph.constant dense<8> : tensor<ui8>
  %w = graph.dequantize %q, %s, %z : tensor<128x130xui8>, tensor<1x130xf32>, tensor<ui8> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<2x128xf32>, tensor<128x130xf32> -> tensor<2x130xf32>
  return %y : tensor<2x130xf32>
}

// -----

// Whole rows have a scale each, whatever groups the weights have. Their zero points are multiplied with the sums of
// columns.

// CHECK-LABEL: @whole_rows
// CHECK:         %w_sums = graph.constant dense_resource<w.sums> : tensor<1x130xf32>
// CHECK:         %[[Z:.*]] = graph.cast %z : tensor<2x1xi8> -> tensor<2x1xf32>
// CHECK:         %[[M:.*]] = graph.mul %t, %[[Z]]
// CHECK:         %[[S:.*]] = graph.broadcast %t : tensor<2x1xf32> -> tensor<2x4xf32>
// CHECK:         %[[Y:.*]] = graph.scaled_matmul %p, %w_integers, %w_scale, %[[S]], {{.*}} : tensor<2x128xi8>, tensor<128x130xui8>, tensor<4x130xf32>, tensor<2x4xf32>
// CHECK:         %[[L:.*]] = graph.mul %[[M]], %w_sums : tensor<2x1xf32>, tensor<1x130xf32> -> tensor<2x130xf32>
// CHECK:         graph.sub %[[Y]], %[[L]]
// FLOAT-LABEL: @whole_rows
// FLOAT:         graph.scaled_matmul {{.*}} : tensor<2x128xf32>
func.func @whole_rows(%p: tensor<2x128xi8>, %t: tensor<2x1xf32>, %z: tensor<2x1xi8>) -> tensor<2x130xf32> {
  %x = graph.dequantize %p, %t, %z : tensor<2x128xi8>, tensor<2x1xf32>, tensor<2x1xi8> -> tensor<2x128xf32>
  %q = graph.constant dense<9> : tensor<4x32x130xui8>
  %s = graph.constant dense<[[[1.0]], [[2.0]], [[0.5]], [[3.0]]]> : tensor<4x1x1xf32>
  %eight = graph.constant dense<8> : tensor<ui8>
  %d = graph.dequantize %q, %s, %eight : tensor<4x32x130xui8>, tensor<4x1x1xf32>, tensor<ui8> -> tensor<4x32x130xf32>
  %w = graph.reshape %d : tensor<4x32x130xf32> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<2x128xf32>, tensor<128x130xf32> -> tensor<2x130xf32>
  return %y : tensor<2x130xf32>
}

// -----

// One zero point for all rows is none for each.

// CHECK-LABEL: @one_zero
// CHECK:         graph.scaled_matmul {{.*}} : tensor<2x128xf32>
func.func @one_zero(%p: tensor<2x128xi8>, %t: tensor<2x1xf32>, %z: tensor<i8>) -> tensor<2x130xf32> {
  %x = graph.dequantize %p, %t, %z : tensor<2x128xi8>, tensor<2x1xf32>, tensor<i8> -> tensor<2x128xf32>
  %q = graph.constant dense<9> : tensor<128x130xui8>
  %s = graph.constant dense<0.5> : tensor<1x130xf32>
  %eight = graph.constant dense<8> : tensor<ui8>
  %w = graph.dequantize %q, %s, %eight : tensor<128x130xui8>, tensor<1x130xf32>, tensor<ui8> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<2x128xf32>, tensor<128x130xf32> -> tensor<2x130xf32>
  return %y : tensor<2x130xf32>
}

// -----

// So is one for each group of a row.

// CHECK-LABEL: @zeros_of_groups
// CHECK:         graph.scaled_matmul {{.*}} : tensor<2x128xf32>
func.func @zeros_of_groups(%p: tensor<2x4x32xi8>, %t: tensor<2x4x1xf32>, %z: tensor<2x4x1xi8>) -> tensor<2x130xf32> {
  %f = graph.dequantize %p, %t, %z : tensor<2x4x32xi8>, tensor<2x4x1xf32>, tensor<2x4x1xi8> -> tensor<2x4x32xf32>
  %x = graph.reshape %f : tensor<2x4x32xf32> -> tensor<2x128xf32>
  %q = graph.constant dense<9> : tensor<128x130xui8>
  %s = graph.constant dense<0.5> : tensor<1x130xf32>
  %eight = graph.constant dense<8> : tensor<ui8>
  %w = graph.dequantize %q, %s, %eight : tensor<128x130xui8>, tensor<1x130xf32>, tensor<ui8> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<2x128xf32>, tensor<128x130xf32> -> tensor<2x130xf32>
  return %y : tensor<2x130xf32>
}
