// A decoder layer in the style of Llama (Touvron et al., 2023): 64 tokens, 512 wide, 8 heads of 64, 1376 hidden units.
// RMSNorm before each half, rotary positions (Su et al., 2021), a causal mask, SwiGLU (Shazeer, 2020), no biases.
func.func @main(%x: tensor<1x64x512xf32>) -> tensor<1x64x512xf32> {
  %norm1 = graph.constant dense_resource<norm1> : tensor<512xf32>
  %wq = graph.constant dense_resource<wq> : tensor<512x512xf32>
  %wk = graph.constant dense_resource<wk> : tensor<512x512xf32>
  %wv = graph.constant dense_resource<wv> : tensor<512x512xf32>
  %wo = graph.constant dense_resource<wo> : tensor<512x512xf32>
  %norm2 = graph.constant dense_resource<norm2> : tensor<512xf32>
  %wgate = graph.constant dense_resource<wgate> : tensor<512x1376xf32>
  %wup = graph.constant dense_resource<wup> : tensor<512x1376xf32>
  %wdown = graph.constant dense_resource<wdown> : tensor<1376x512xf32>
  %cos = graph.constant dense_resource<cos> : tensor<64x64xf32>
  %sin = graph.constant dense_resource<sin> : tensor<64x64xf32>
  %mask = graph.constant dense_resource<mask> : tensor<64x64xf32>
  %epsilon = graph.constant dense<1.0e-05> : tensor<f32>
  %root = graph.constant dense<8.0> : tensor<f32>

  // RMSNorm.
  %n0 = graph.mul %x, %x : tensor<1x64x512xf32>, tensor<1x64x512xf32> -> tensor<1x64x512xf32>
  %n1 = graph.reduce mean %n0 axes [2] keepdims : tensor<1x64x512xf32> -> tensor<1x64x1xf32>
  %n2 = graph.add %n1, %epsilon : tensor<1x64x1xf32>, tensor<f32> -> tensor<1x64x1xf32>
  %n3 = graph.sqrt %n2 : tensor<1x64x1xf32>
  %n4 = graph.div %x, %n3 : tensor<1x64x512xf32>, tensor<1x64x1xf32> -> tensor<1x64x512xf32>
  %n = graph.mul %n4, %norm1 : tensor<1x64x512xf32>, tensor<512xf32> -> tensor<1x64x512xf32>

  // Queries and keys of each head, rotated by their positions, and values.
  %q0 = graph.matmul %n, %wq : tensor<1x64x512xf32>, tensor<512x512xf32> -> tensor<1x64x512xf32>
  %q1 = graph.reshape %q0 : tensor<1x64x512xf32> -> tensor<1x64x8x64xf32>
  %q2 = graph.transpose %q1 [0, 2, 1, 3] : tensor<1x64x8x64xf32> -> tensor<1x8x64x64xf32>
  %q3 = graph.slice %q2 starts [0, 0, 0, 0] ends [1, 8, 64, 32] strides [1, 1, 1, 1]
      : tensor<1x8x64x64xf32> -> tensor<1x8x64x32xf32>
  %q4 = graph.slice %q2 starts [0, 0, 0, 32] ends [1, 8, 64, 64] strides [1, 1, 1, 1]
      : tensor<1x8x64x64xf32> -> tensor<1x8x64x32xf32>
  %q5 = graph.neg %q4 : tensor<1x8x64x32xf32>
  %q6 = graph.concat %q5, %q3 axis 3 : tensor<1x8x64x32xf32>, tensor<1x8x64x32xf32> -> tensor<1x8x64x64xf32>
  %q7 = graph.mul %q2, %cos : tensor<1x8x64x64xf32>, tensor<64x64xf32> -> tensor<1x8x64x64xf32>
  %q8 = graph.mul %q6, %sin : tensor<1x8x64x64xf32>, tensor<64x64xf32> -> tensor<1x8x64x64xf32>
  %q = graph.add %q7, %q8 : tensor<1x8x64x64xf32>, tensor<1x8x64x64xf32> -> tensor<1x8x64x64xf32>
  %k0 = graph.matmul %n, %wk : tensor<1x64x512xf32>, tensor<512x512xf32> -> tensor<1x64x512xf32>
  %k1 = graph.reshape %k0 : tensor<1x64x512xf32> -> tensor<1x64x8x64xf32>
  %k2 = graph.transpose %k1 [0, 2, 1, 3] : tensor<1x64x8x64xf32> -> tensor<1x8x64x64xf32>
  %k3 = graph.slice %k2 starts [0, 0, 0, 0] ends [1, 8, 64, 32] strides [1, 1, 1, 1]
      : tensor<1x8x64x64xf32> -> tensor<1x8x64x32xf32>
  %k4 = graph.slice %k2 starts [0, 0, 0, 32] ends [1, 8, 64, 64] strides [1, 1, 1, 1]
      : tensor<1x8x64x64xf32> -> tensor<1x8x64x32xf32>
  %k5 = graph.neg %k4 : tensor<1x8x64x32xf32>
  %k6 = graph.concat %k5, %k3 axis 3 : tensor<1x8x64x32xf32>, tensor<1x8x64x32xf32> -> tensor<1x8x64x64xf32>
  %k7 = graph.mul %k2, %cos : tensor<1x8x64x64xf32>, tensor<64x64xf32> -> tensor<1x8x64x64xf32>
  %k8 = graph.mul %k6, %sin : tensor<1x8x64x64xf32>, tensor<64x64xf32> -> tensor<1x8x64x64xf32>
  %k9 = graph.add %k7, %k8 : tensor<1x8x64x64xf32>, tensor<1x8x64x64xf32> -> tensor<1x8x64x64xf32>
  %k = graph.transpose %k9 [0, 1, 3, 2] : tensor<1x8x64x64xf32> -> tensor<1x8x64x64xf32>
  %v0 = graph.matmul %n, %wv : tensor<1x64x512xf32>, tensor<512x512xf32> -> tensor<1x64x512xf32>
  %v1 = graph.reshape %v0 : tensor<1x64x512xf32> -> tensor<1x64x8x64xf32>
  %v = graph.transpose %v1 [0, 2, 1, 3] : tensor<1x64x8x64xf32> -> tensor<1x8x64x64xf32>

  // Attention.
  %s0 = graph.matmul %q, %k : tensor<1x8x64x64xf32>, tensor<1x8x64x64xf32> -> tensor<1x8x64x64xf32>
  %s1 = graph.div %s0, %root : tensor<1x8x64x64xf32>, tensor<f32> -> tensor<1x8x64x64xf32>
  %s2 = graph.add %s1, %mask : tensor<1x8x64x64xf32>, tensor<64x64xf32> -> tensor<1x8x64x64xf32>
  %p = graph.softmax %s2 axis 3 : tensor<1x8x64x64xf32>
  %a0 = graph.matmul %p, %v : tensor<1x8x64x64xf32>, tensor<1x8x64x64xf32> -> tensor<1x8x64x64xf32>
  %a1 = graph.transpose %a0 [0, 2, 1, 3] : tensor<1x8x64x64xf32> -> tensor<1x64x8x64xf32>
  %a = graph.reshape %a1 : tensor<1x64x8x64xf32> -> tensor<1x64x512xf32>
  %o = graph.matmul %a, %wo : tensor<1x64x512xf32>, tensor<512x512xf32> -> tensor<1x64x512xf32>
  %h = graph.add %o, %x : tensor<1x64x512xf32>, tensor<1x64x512xf32> -> tensor<1x64x512xf32>

  // RMSNorm.
  %m0 = graph.mul %h, %h : tensor<1x64x512xf32>, tensor<1x64x512xf32> -> tensor<1x64x512xf32>
  %m1 = graph.reduce mean %m0 axes [2] keepdims : tensor<1x64x512xf32> -> tensor<1x64x1xf32>
  %m2 = graph.add %m1, %epsilon : tensor<1x64x1xf32>, tensor<f32> -> tensor<1x64x1xf32>
  %m3 = graph.sqrt %m2 : tensor<1x64x1xf32>
  %m4 = graph.div %h, %m3 : tensor<1x64x512xf32>, tensor<1x64x1xf32> -> tensor<1x64x512xf32>
  %m = graph.mul %m4, %norm2 : tensor<1x64x512xf32>, tensor<512xf32> -> tensor<1x64x512xf32>

  // SwiGLU.
  %g0 = graph.matmul %m, %wgate : tensor<1x64x512xf32>, tensor<512x1376xf32> -> tensor<1x64x1376xf32>
  %g1 = graph.sigmoid %g0 : tensor<1x64x1376xf32>
  %g = graph.mul %g0, %g1 : tensor<1x64x1376xf32>, tensor<1x64x1376xf32> -> tensor<1x64x1376xf32>
  %u = graph.matmul %m, %wup : tensor<1x64x512xf32>, tensor<512x1376xf32> -> tensor<1x64x1376xf32>
  %f0 = graph.mul %g, %u : tensor<1x64x1376xf32>, tensor<1x64x1376xf32> -> tensor<1x64x1376xf32>
  %f = graph.matmul %f0, %wdown : tensor<1x64x1376xf32>, tensor<1376x512xf32> -> tensor<1x64x512xf32>
  %y = graph.add %f, %h : tensor<1x64x512xf32>, tensor<1x64x512xf32> -> tensor<1x64x512xf32>
  return %y : tensor<1x64x512xf32>
}
