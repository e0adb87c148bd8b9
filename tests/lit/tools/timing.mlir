// RUN: mlc-opt %s --cse --dce --timing 2>&1 | filecheck %s

// CHECK: pass {{ +}}ms {{ +}}%  ops before  ops after
// CHECK-NEXT: cse {{ +[0-9.]+ +[0-9.]+ +}}3 {{ +}}3
// CHECK-NEXT: dce
// CHECK-NEXT: total
func.func @f(%x: i32) -> i32 {
  return %x : i32
}
