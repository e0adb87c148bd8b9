// An encoder layer of BERT (Devlin et al., 2018) as exporters write it: 128 tokens, 384 wide, 12 heads of 32.
// `mask` is added to the scores: 0 for a token, a large negative number for padding.
func.func @main(%x: tensor<1x128x384xf32>, %mask: tensor<1x1x1x128xf32>) -> tensor<1x128x384xf32> {
  %wq = graph.constant dense_resource<wq> : tensor<384x384xf32>
  %bq = graph.constant dense_resource<bq> : tensor<384xf32>
  %wk = graph.constant dense_resource<wk> : tensor<384x384xf32>
  %bk = graph.constant dense_resource<bk> : tensor<384xf32>
  %wv = graph.constant dense_resource<wv> : tensor<384x384xf32>
  %bv = graph.constant dense_resource<bv> : tensor<384xf32>
  %wo = graph.constant dense_resource<wo> : tensor<384x384xf32>
  %bo = graph.constant dense_resource<bo> : tensor<384xf32>
  %scale1 = graph.constant dense_resource<scale1> : tensor<384xf32>
  %bias1 = graph.constant dense_resource<bias1> : tensor<384xf32>
  %w1 = graph.constant dense_resource<w1> : tensor<384x1536xf32>
  %b1 = graph.constant dense_resource<b1> : tensor<1536xf32>
  %w2 = graph.constant dense_resource<w2> : tensor<1536x384xf32>
  %b2 = graph.constant dense_resource<b2> : tensor<384xf32>
  %scale2 = graph.constant dense_resource<scale2> : tensor<384xf32>
  %bias2 = graph.constant dense_resource<bias2> : tensor<384xf32>
  %root = graph.constant dense<5.65685425> : tensor<f32>

  // Queries, keys (transposed) and values of each head.
  %q0 = graph.matmul %x, %wq : tensor<1x128x384xf32>, tensor<384x384xf32> -> tensor<1x128x384xf32>
  %q1 = graph.add %q0, %bq : tensor<1x128x384xf32>, tensor<384xf32> -> tensor<1x128x384xf32>
  %q2 = graph.reshape %q1 : tensor<1x128x384xf32> -> tensor<1x128x12x32xf32>
  %q = graph.transpose %q2 [0, 2, 1, 3] : tensor<1x128x12x32xf32> -> tensor<1x12x128x32xf32>
  %k0 = graph.matmul %x, %wk : tensor<1x128x384xf32>, tensor<384x384xf32> -> tensor<1x128x384xf32>
  %k1 = graph.add %k0, %bk : tensor<1x128x384xf32>, tensor<384xf32> -> tensor<1x128x384xf32>
  %k2 = graph.reshape %k1 : tensor<1x128x384xf32> -> tensor<1x128x12x32xf32>
  %k = graph.transpose %k2 [0, 2, 3, 1] : tensor<1x128x12x32xf32> -> tensor<1x12x32x128xf32>
  %v0 = graph.matmul %x, %wv : tensor<1x128x384xf32>, tensor<384x384xf32> -> tensor<1x128x384xf32>
  %v1 = graph.add %v0, %bv : tensor<1x128x384xf32>, tensor<384xf32> -> tensor<1x128x384xf32>
  %v2 = graph.reshape %v1 : tensor<1x128x384xf32> -> tensor<1x128x12x32xf32>
  %v = graph.transpose %v2 [0, 2, 1, 3] : tensor<1x128x12x32xf32> -> tensor<1x12x128x32xf32>

  // Attention.
  %s0 = graph.matmul %q, %k : tensor<1x12x128x32xf32>, tensor<1x12x32x128xf32> -> tensor<1x12x128x128xf32>
  %s1 = graph.div %s0, %root : tensor<1x12x128x128xf32>, tensor<f32> -> tensor<1x12x128x128xf32>
  %s2 = graph.add %s1, %mask : tensor<1x12x128x128xf32>, tensor<1x1x1x128xf32> -> tensor<1x12x128x128xf32>
  %p = graph.softmax %s2 axis 3 : tensor<1x12x128x128xf32>
  %a0 = graph.matmul %p, %v : tensor<1x12x128x128xf32>, tensor<1x12x128x32xf32> -> tensor<1x12x128x32xf32>
  %a1 = graph.transpose %a0 [0, 2, 1, 3] : tensor<1x12x128x32xf32> -> tensor<1x128x12x32xf32>
  %a = graph.reshape %a1 : tensor<1x128x12x32xf32> -> tensor<1x128x384xf32>
  %o0 = graph.matmul %a, %wo : tensor<1x128x384xf32>, tensor<384x384xf32> -> tensor<1x128x384xf32>
  %o1 = graph.add %o0, %bo : tensor<1x128x384xf32>, tensor<384xf32> -> tensor<1x128x384xf32>
  %o = graph.add %o1, %x : tensor<1x128x384xf32>, tensor<1x128x384xf32> -> tensor<1x128x384xf32>
  %h = graph.layer_norm %o, %scale1, %bias1 axis 2 epsilon 1.0e-12
      : tensor<1x128x384xf32>, tensor<384xf32>, tensor<384xf32> -> tensor<1x128x384xf32>

  // Feed forward.
  %f0 = graph.matmul %h, %w1 : tensor<1x128x384xf32>, tensor<384x1536xf32> -> tensor<1x128x1536xf32>
  %f1 = graph.add %f0, %b1 : tensor<1x128x1536xf32>, tensor<1536xf32> -> tensor<1x128x1536xf32>
  %f2 = graph.gelu %f1 : tensor<1x128x1536xf32>
  %f3 = graph.matmul %f2, %w2 : tensor<1x128x1536xf32>, tensor<1536x384xf32> -> tensor<1x128x384xf32>
  %f4 = graph.add %f3, %b2 : tensor<1x128x384xf32>, tensor<384xf32> -> tensor<1x128x384xf32>
  %f = graph.add %f4, %h : tensor<1x128x384xf32>, tensor<1x128x384xf32> -> tensor<1x128x384xf32>
  %y = graph.layer_norm %f, %scale2, %bias2 axis 2 epsilon 1.0e-12
      : tensor<1x128x384xf32>, tensor<384xf32>, tensor<384xf32> -> tensor<1x128x384xf32>
  return %y : tensor<1x128x384xf32>
}
