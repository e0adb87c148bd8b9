// RUN: mlc-opt %s --schedule=target=x86-64-v4 | filecheck %s
// RUN: mlc-opt %s --schedule=target=x86-64-v4 --lower-to-loops --apply-schedule --check-each

// Where both factors are integers, words hold as many weights as their numbers and the group allow.

// CHECK-LABEL: @nibbles
// CHECK-SAME:    <[dot(k, 8), tile(n, 64), pack(w, n), pack(s, n), tile(ni, 16), vectorize(nii, 16), unroll(ni)]>
func.func private @nibbles(%x: tensor<512xi8>, %w: tensor<512x96xi8>, %s: tensor<16x96xf32>, %t: tensor<16xf32>) -> tensor<96xf32> {
  %0 = tensor.contract %x[g * 32 + k], %w[g * 32 + k, n] over (g: 16, n: 96) reduce (k: 32) {unsigned = array<i64: 1>} : tensor<512xi8>, tensor<512x96xi8> -> tensor<16x96xi32>
  %1 = tensor.map %0[g, n], %t[g] over (g: 16, n: 96) : tensor<16x96xi32>, tensor<16xf32> -> tensor<16x96xf32> {
  ^bb0(%a: i32, %b: f32):
    %c = arith.sitofp %a : i32 to f32
    %d = arith.mulf %c, %b : f32
    tensor.yield %d : f32
  }
  %2 = tensor.contract %1[g, n], %s[g, n] over (n: 96) reduce (g: 16) : tensor<16x96xf32>, tensor<16x96xf32> -> tensor<96xf32>
  return %2 : tensor<96xf32>
}

// CHECK-LABEL: @two_bits
// CHECK-SAME:    <[dot(k, 16), tile(n, 64), pack(w, n), pack(s, n), tile(ni, 16), vectorize(nii, 16), unroll(ni)]>
func.func private @two_bits(%x: tensor<512xi8>, %w: tensor<512x96xi8>, %s: tensor<16x96xf32>, %t: tensor<16xf32>) -> tensor<96xf32> {
  %0 = tensor.contract %x[g * 32 + k], %w[g * 32 + k, n] over (g: 16, n: 96) reduce (k: 32) {unsigned = array<i64: 1>} : tensor<512xi8>, tensor<512x96xi8> -> tensor<16x96xi32>
  %1 = tensor.map %0[g, n], %t[g] over (g: 16, n: 96) : tensor<16x96xi32>, tensor<16xf32> -> tensor<16x96xf32> {
  ^bb0(%a: i32, %b: f32):
    %c = arith.sitofp %a : i32 to f32
    %d = arith.mulf %c, %b : f32
    tensor.yield %d : f32
  }
  %2 = tensor.contract %1[g, n], %s[g, n] over (n: 96) reduce (g: 16) : tensor<16x96xf32>, tensor<16x96xf32> -> tensor<96xf32>
  return %2 : tensor<96xf32>
}

// CHECK-LABEL: @groups_of_half_a_word
// CHECK-SAME:    <[dot(k, 8), tile(n, 64), pack(w, n), pack(s, n), tile(ni, 16), vectorize(nii, 16), unroll(ni)]>
func.func private @groups_of_half_a_word(%x: tensor<480xi8>, %w: tensor<480x96xi8>, %s: tensor<20x96xf32>, %t: tensor<20xf32>) -> tensor<96xf32> {
  %0 = tensor.contract %x[g * 24 + k], %w[g * 24 + k, n] over (g: 20, n: 96) reduce (k: 24) {unsigned = array<i64: 1>} : tensor<480xi8>, tensor<480x96xi8> -> tensor<20x96xi32>
  %1 = tensor.map %0[g, n], %t[g] over (g: 20, n: 96) : tensor<20x96xi32>, tensor<20xf32> -> tensor<20x96xf32> {
  ^bb0(%a: i32, %b: f32):
    %c = arith.sitofp %a : i32 to f32
    %d = arith.mulf %c, %b : f32
    tensor.yield %d : f32
  }
  %2 = tensor.contract %1[g, n], %s[g, n] over (n: 96) reduce (g: 20) : tensor<20x96xf32>, tensor<20x96xf32> -> tensor<96xf32>
  return %2 : tensor<96xf32>
}

// CHECK-LABEL: @bytes
// CHECK-SAME:    <[dot(k, 4), tile(n, 64), pack(w, n), pack(s, n), tile(ni, 16), vectorize(nii, 16), unroll(ni)]>
func.func private @bytes(%x: tensor<512xi8>, %w: tensor<512x96xi8>, %s: tensor<16x96xf32>, %t: tensor<16xf32>) -> tensor<96xf32> {
  %0 = tensor.contract %x[g * 32 + k], %w[g * 32 + k, n] over (g: 16, n: 96) reduce (k: 32) {unsigned = array<i64: 1>} : tensor<512xi8>, tensor<512x96xi8> -> tensor<16x96xi32>
  %1 = tensor.map %0[g, n], %t[g] over (g: 16, n: 96) : tensor<16x96xi32>, tensor<16xf32> -> tensor<16x96xf32> {
  ^bb0(%a: i32, %b: f32):
    %c = arith.sitofp %a : i32 to f32
    %d = arith.mulf %c, %b : f32
    tensor.yield %d : f32
  }
  %2 = tensor.contract %1[g, n], %s[g, n] over (n: 96) reduce (g: 16) : tensor<16x96xf32>, tensor<16x96xf32> -> tensor<96xf32>
  return %2 : tensor<96xf32>
}

// CHECK-LABEL: @negative
// CHECK-SAME:    <[dot(k, 4), tile(n, 64), pack(w, n), pack(s, n), tile(ni, 16), vectorize(nii, 16), unroll(ni)]>
func.func private @negative(%x: tensor<512xi8>, %w: tensor<512x96xi8>, %s: tensor<16x96xf32>, %t: tensor<16xf32>) -> tensor<96xf32> {
  %0 = tensor.contract %x[g * 32 + k], %w[g * 32 + k, n] over (g: 16, n: 96) reduce (k: 32) {unsigned = array<i64: 1>} : tensor<512xi8>, tensor<512x96xi8> -> tensor<16x96xi32>
  %1 = tensor.map %0[g, n], %t[g] over (g: 16, n: 96) : tensor<16x96xi32>, tensor<16xf32> -> tensor<16x96xf32> {
  ^bb0(%a: i32, %b: f32):
    %c = arith.sitofp %a : i32 to f32
    %d = arith.mulf %c, %b : f32
    tensor.yield %d : f32
  }
  %2 = tensor.contract %1[g, n], %s[g, n] over (n: 96) reduce (g: 16) : tensor<16x96xf32>, tensor<16x96xf32> -> tensor<96xf32>
  return %2 : tensor<96xf32>
}

// CHECK-LABEL: @far
// CHECK-SAME:    <[dot(k, 8), tile(n, 64), pack(w, n), pack(s, n), tile(ni, 16), vectorize(nii, 16), unroll(ni), prefetch_next(k, n, 2), prefetch_next(g, n, 2)]>
func.func private @far(%x: tensor<2048xi8>, %w: tensor<2048x2080xi8>, %s: tensor<16x2080xf32>, %t: tensor<16xf32>) -> tensor<2080xf32> {
  %0 = tensor.contract %x[g * 128 + k], %w[g * 128 + k, n] over (g: 16, n: 2080) reduce (k: 128) {unsigned = array<i64: 1>} : tensor<2048xi8>, tensor<2048x2080xi8> -> tensor<16x2080xi32>
  %1 = tensor.map %0[g, n], %t[g] over (g: 16, n: 2080) : tensor<16x2080xi32>, tensor<16xf32> -> tensor<16x2080xf32> {
  ^bb0(%a: i32, %b: f32):
    %c = arith.sitofp %a : i32 to f32
    %d = arith.mulf %c, %b : f32
    tensor.yield %d : f32
  }
  %2 = tensor.contract %1[g, n], %s[g, n] over (n: 2080) reduce (g: 16) : tensor<16x2080xf32>, tensor<16x2080xf32> -> tensor<2080xf32>
  return %2 : tensor<2080xf32>
}

// CHECK-LABEL: @in_the_second_cache
// CHECK-SAME:    <[dot(k, 8), tile(n, 64), pack(w, n), pack(s, n), tile(ni, 16), vectorize(nii, 16), unroll(ni)]>
func.func private @in_the_second_cache(%x: tensor<1024xi8>, %w: tensor<1024x1536xi8>, %s: tensor<8x1536xf32>, %t: tensor<8xf32>) -> tensor<1536xf32> {
  %0 = tensor.contract %x[g * 128 + k], %w[g * 128 + k, n] over (g: 8, n: 1536) reduce (k: 128) {unsigned = array<i64: 1>} : tensor<1024xi8>, tensor<1024x1536xi8> -> tensor<8x1536xi32>
  %1 = tensor.map %0[g, n], %t[g] over (g: 8, n: 1536) : tensor<8x1536xi32>, tensor<8xf32> -> tensor<8x1536xf32> {
  ^bb0(%a: i32, %b: f32):
    %c = arith.sitofp %a : i32 to f32
    %d = arith.mulf %c, %b : f32
    tensor.yield %d : f32
  }
  %2 = tensor.contract %1[g, n], %s[g, n] over (n: 1536) reduce (g: 8) : tensor<8x1536xf32>, tensor<8x1536xf32> -> tensor<1536xf32>
  return %2 : tensor<1536xf32>
}

func.func @main(%x0: tensor<512xi8>, %t0: tensor<16xf32>, %x1: tensor<512xi8>, %t1: tensor<16xf32>, %x2: tensor<480xi8>, %t2: tensor<20xf32>, %x3: tensor<512xi8>, %t3: tensor<16xf32>, %x4: tensor<512xi8>, %t4: tensor<16xf32>, %x5: tensor<2048xi8>, %t5: tensor<16xf32>, %x6: tensor<1024xi8>, %t6: tensor<8xf32>) -> (tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<2080xf32>, tensor<1536xf32>) {
  %w0 = arith.constant dense<15> : tensor<512x96xi8>
  %s0 = arith.constant dense<0.5> : tensor<16x96xf32>
  %0 = call @nibbles(%x0, %w0, %s0, %t0) : (tensor<512xi8>, tensor<512x96xi8>, tensor<16x96xf32>, tensor<16xf32>) -> tensor<96xf32>
  %w1 = arith.constant dense<3> : tensor<512x96xi8>
  %s1 = arith.constant dense<0.5> : tensor<16x96xf32>
  %1 = call @two_bits(%x1, %w1, %s1, %t1) : (tensor<512xi8>, tensor<512x96xi8>, tensor<16x96xf32>, tensor<16xf32>) -> tensor<96xf32>
  %w2 = arith.constant dense<3> : tensor<480x96xi8>
  %s2 = arith.constant dense<0.5> : tensor<20x96xf32>
  %2 = call @groups_of_half_a_word(%x2, %w2, %s2, %t2) : (tensor<480xi8>, tensor<480x96xi8>, tensor<20x96xf32>, tensor<20xf32>) -> tensor<96xf32>
  %w3 = arith.constant dense<16> : tensor<512x96xi8>
  %s3 = arith.constant dense<0.5> : tensor<16x96xf32>
  %3 = call @bytes(%x3, %w3, %s3, %t3) : (tensor<512xi8>, tensor<512x96xi8>, tensor<16x96xf32>, tensor<16xf32>) -> tensor<96xf32>
  %w4 = arith.constant dense<-1> : tensor<512x96xi8>
  %s4 = arith.constant dense<0.5> : tensor<16x96xf32>
  %4 = call @negative(%x4, %w4, %s4, %t4) : (tensor<512xi8>, tensor<512x96xi8>, tensor<16x96xf32>, tensor<16xf32>) -> tensor<96xf32>
  %w5 = arith.constant dense<15> : tensor<2048x2080xi8>
  %s5 = arith.constant dense<0.5> : tensor<16x2080xf32>
  %5 = call @far(%x5, %w5, %s5, %t5) : (tensor<2048xi8>, tensor<2048x2080xi8>, tensor<16x2080xf32>, tensor<16xf32>) -> tensor<2080xf32>
  %w6 = arith.constant dense<15> : tensor<1024x1536xi8>
  %s6 = arith.constant dense<0.5> : tensor<8x1536xf32>
  %6 = call @in_the_second_cache(%x6, %w6, %s6, %t6) : (tensor<1024xi8>, tensor<1024x1536xi8>, tensor<8x1536xf32>, tensor<8xf32>) -> tensor<1536xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<2080xf32>, tensor<1536xf32>
}
