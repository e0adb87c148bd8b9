// RUN: mlc-opt %s --cse --dce --cse --print-ir-after-all 2>&1 | filecheck %s
// RUN: mlc-opt %s --pass-pipeline="cse, dce,cse" --print-ir-after-all 2>&1 | filecheck %s
// RUN: mlc-opt %s --cse --dce --cse --print-ir-after=dce 2>&1 | filecheck %s --check-prefix=ONE

// CHECK: IR after cse
// CHECK: IR after dce
// CHECK: IR after cse
// CHECK-NOT: IR after

// ONE-NOT: IR after cse
// ONE: IR after dce
// ONE-NOT: IR after cse
func.func @f(%x: i32) -> i32 {
  return %x : i32
}
