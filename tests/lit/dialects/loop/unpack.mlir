// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @numbers
// CHECK:         loop.unpack %w[0] : i32 to f32
// CHECK:         loop.unpack %v[7] : vector<16xi32> to vector<16xf32>
// CHECK:         loop.unpack_bytes %w[1] of 4 : i32
// CHECK:         loop.unpack_bytes %v[3] of 2 : vector<16xi32>
func.func @numbers(%w: i32, %v: vector<16xi32>) {
  %a = loop.unpack %w[0] : i32 to f32
  %b = loop.unpack %v[7] : vector<16xi32> to vector<16xf32>
  %c = loop.unpack_bytes %w[1] of 4 : i32
  %d = loop.unpack_bytes %v[3] of 2 : vector<16xi32>
  return
}
