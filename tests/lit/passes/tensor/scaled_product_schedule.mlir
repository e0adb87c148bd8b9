// RUN: mlc-opt %s --schedule=target=x86-64-v4 | filecheck %s
// RUN: mlc-opt %s --schedule=target=x86-64-v4 --lower-to-loops --apply-schedule --check-each

// Of one row, four vectors of sums of groups, and of sums of these. The next panel of words comes meanwhile, as the
// second cache does not hold all of them.
// CHECK-LABEL: @one_row
// CHECK-SAME:    <[unpack(k), tile(n, 64), pack(w, n), pack(s, n), tile(ni, 16), vectorize(nii, 16), unroll(ni), prefetch_next(k, n, 2), prefetch_next(g, n, 2)]>
func.func private @one_row(%x: tensor<1024xf32>, %w: tensor<1024x4128xi8>, %s: tensor<32x4128xf32>) -> tensor<4128xf32> {
  %0 = tensor.contract %x[g * 32 + k], %w[g * 32 + k, n] over (g: 32, n: 4128) reduce (k: 32) : tensor<1024xf32>, tensor<1024x4128xi8> -> tensor<32x4128xf32>
  %1 = tensor.contract %0[g, n], %s[g, n] over (n: 4128) reduce (g: 32) : tensor<32x4128xf32>, tensor<32x4128xf32> -> tensor<4128xf32>
  return %1 : tensor<4128xf32>
}

// Rows of several tiles share a panel that is unpacked once. A bias is not packed. The panel is as wide as that of one
// row, whose code may be in the same artifact.
// CHECK-LABEL: @rows
// CHECK-SAME:    <[interchange(n, m), tile(n, 64), cache_read(w, n), interchange(w_1, w_0), unpack(w_0), interchange(w_0, w_1), pack(w, n), tile(w_1, 16), vectorize(w_1i, 16), unroll(w_1), tile(m, 5), unroll(mi), tile(ni, 16), vectorize(nii, 16), unroll(ni)]>
func.func private @rows(%x: tensor<20x72xf32>, %w: tensor<72x96xi8>, %s: tensor<96xf32>) -> tensor<20x96xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 20, n: 96) reduce (k: 72) : tensor<20x72xf32>, tensor<72x96xi8> -> tensor<20x96xf32>
  %1 = tensor.map %0[m, n], %s[n] over (m: 20, n: 96) : tensor<20x96xf32>, tensor<96xf32> -> tensor<20x96xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    tensor.yield %c : f32
  }
  return %1 : tensor<20x96xf32>
}

// Of groups, a panel is one of a group, which the first cache holds, and the sums of a block of columns wait in the second.
// CHECK-LABEL: @groups_of_many_rows
// CHECK-SAME:    <[interchange(n, m), tile(n, 64), cache_write(g, ni), tile(ni, 64), cache_read(w, ni), pack(w, n), pack(s, n), tile(w_1, 16), vectorize(w_1i, 16), unroll(w_1), tile(m, 6), unroll(mi), tile(nii, 16), vectorize(niii, 16), unroll(nii)]>
func.func private @groups_of_many_rows(%x: tensor<40x128xf32>, %w: tensor<128x192xi8>, %s: tensor<2x192xf32>) -> tensor<40x192xf32> {
  %0 = tensor.contract %x[m, g * 64 + k], %w[g * 64 + k, n] over (m: 40, g: 2, n: 192) reduce (k: 64) : tensor<40x128xf32>, tensor<128x192xi8> -> tensor<40x2x192xf32>
  %1 = tensor.contract %0[m, g, n], %s[g, n] over (m: 40, n: 192) reduce (g: 2) : tensor<40x2x192xf32>, tensor<2x192xf32> -> tensor<40x192xf32>
  return %1 : tensor<40x192xf32>
}

// Sums of groups take registers of their own, so that tiles are narrower than panels, which are those of code for one
// row. All weights do not fit in the second cache: the next panel comes meanwhile. What is added to the result is not
// packed.
// CHECK-LABEL: @groups_of_rows
// CHECK-SAME:    <[unpack(k), interchange(n, m), tile(n, 64), pack(w, n), pack(s, n), tile(ni, 16), vectorize(nii, 16), tile(m, 12), unroll(mi), prefetch_next(k, n, 2), prefetch_next(g, n, 2)]>
func.func private @groups_of_rows(%x: tensor<12x64xf32>, %w: tensor<64x96xi8>, %s: tensor<2x96xf32>, %r: tensor<12x96xf32>) -> tensor<12x96xf32> {
  %0 = tensor.contract %x[m, g * 32 + k], %w[g * 32 + k, n] over (m: 12, g: 2, n: 96) reduce (k: 32) : tensor<12x64xf32>, tensor<64x96xi8> -> tensor<12x2x96xf32>
  %1 = tensor.contract %0[m, g, n], %s[g, n] over (m: 12, n: 96) reduce (g: 2) : tensor<12x2x96xf32>, tensor<2x96xf32> -> tensor<12x96xf32>
  %2 = tensor.map %1[m, n], %r[m, n] over (m: 12, n: 96) : tensor<12x96xf32>, tensor<12x96xf32> -> tensor<12x96xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tensor.yield %c : f32
  }
  return %2 : tensor<12x96xf32>
}

// Numbers of eight bits are read as bytes, and so are those that no call knows.
// CHECK-LABEL: @bytes
// CHECK-SAME:    <[tile(n, 64), pack(w, n), tile(ni, 16), vectorize(nii, 16), unroll(ni)]>
func.func private @bytes(%x: tensor<72xf32>, %w: tensor<72x96xi8>) -> tensor<96xf32> {
  %0 = tensor.contract %x[k], %w[k, n] over (n: 96) reduce (k: 72) : tensor<72xf32>, tensor<72x96xi8> -> tensor<96xf32>
  return %0 : tensor<96xf32>
}

// CHECK-LABEL: @argument
// CHECK-SAME:    <[tile(n, 64), tile(ni, 16), vectorize(nii, 16), unroll(ni)]>
func.func private @argument(%x: tensor<72xf32>, %w: tensor<72x96xi8>) -> tensor<96xf32> {
  %0 = tensor.contract %x[k], %w[k, n] over (n: 96) reduce (k: 72) : tensor<72xf32>, tensor<72x96xi8> -> tensor<96xf32>
  return %0 : tensor<96xf32>
}

func.func @main(%x: tensor<1024xf32>, %y: tensor<20x72xf32>, %z: tensor<72xf32>, %v: tensor<72x96xi8>, %v4: tensor<12x64xf32>, %v5: tensor<40x128xf32>) -> (tensor<40x192xf32>, tensor<4128xf32>, tensor<20x96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<12x96xf32>) {
  %w = arith.constant dense<7> : tensor<1024x4128xi8>
  %s = arith.constant dense<0.5> : tensor<32x4128xf32>
  %0 = call @one_row(%x, %w, %s) : (tensor<1024xf32>, tensor<1024x4128xi8>, tensor<32x4128xf32>) -> tensor<4128xf32>
  %w1 = arith.constant dense<-8> : tensor<72x96xi8>
  %s1 = arith.constant dense<0.5> : tensor<96xf32>
  %1 = call @rows(%y, %w1, %s1) : (tensor<20x72xf32>, tensor<72x96xi8>, tensor<96xf32>) -> tensor<20x96xf32>
  %w3 = arith.constant dense<-8> : tensor<64x96xi8>
  %s3 = arith.constant dense<0.5> : tensor<2x96xf32>
  %r3 = arith.constant dense<0.5> : tensor<12x96xf32>
  %4 = call @groups_of_rows(%v4, %w3, %s3, %r3) : (tensor<12x64xf32>, tensor<64x96xi8>, tensor<2x96xf32>, tensor<12x96xf32>) -> tensor<12x96xf32>
  %w2 = arith.constant dense<8> : tensor<72x96xi8>
  %2 = call @bytes(%z, %w2) : (tensor<72xf32>, tensor<72x96xi8>) -> tensor<96xf32>
  %3 = call @argument(%z, %v) : (tensor<72xf32>, tensor<72x96xi8>) -> tensor<96xf32>
  %w5 = arith.constant dense<100> : tensor<128x192xi8>
  %s5 = arith.constant dense<0.5> : tensor<2x192xf32>
  %5 = call @groups_of_many_rows(%v5, %w5, %s5) : (tensor<40x128xf32>, tensor<128x192xi8>, tensor<2x192xf32>) -> tensor<40x192xf32>
  return %5, %0, %1, %2, %3, %4 : tensor<40x192xf32>, tensor<4128xf32>, tensor<20x96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<12x96xf32>
}
