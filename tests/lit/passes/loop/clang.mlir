// RUN: mlc-opt %s --apply-schedule --check-each 2>%t | filecheck %s
// RUN: mlc-opt %s --apply-schedule 2>&1 >%t | filecheck %s --check-prefix=WARN
// RUN: mlc-opt %s --apply-schedule | mlc-opt | filecheck %s
// RUN: mlc-opt %s --apply-schedule --lower-to-llvm | filecheck %s --check-prefix=LLVM

// The first word counts; what runs on other threads is compiled as the rest.
// CHECK: func.func private @kernel(%x: memref<8x8xf32>, %y: memref<8x8xf32> {mlc.output}) attributes {mlc.clang_level = 0 : i64} {
// WARN: warning: schedule step 'clang(2)': 'clang(0)' before 'clang(2)' says otherwise; leave one of them out
// WARN: warning: schedule step 'clang(0)' changes nothing
// LLVM: llvm.func weak_odr hidden @kernel_m({{.*}}) attributes {mlc.clang_level = 0 : i64} {
// LLVM: llvm.func weak_odr hidden @kernel_m_task({{.*}}) attributes {mlc.clang_level = 0 : i64} {
// LLVM: llvm.func weak_odr hidden @kernel({{.*}}) attributes {mlc.clang_level = 0 : i64} {
func.func private @kernel(%x: memref<8x8xf32>, %y: memref<8x8xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[clang(0), threads(m), clang(2), clang(0)]>} {
  loop.for parallel "m" %m = 0 to 8 {
    loop.for parallel "n" %n = 0 to 8 {
      %a = loop.load %x[%m, %n] : memref<8x8xf32>
      loop.store %a, %y[%m, %n] : memref<8x8xf32>
    }
  }
  return
}

// A model has a level, too; it is another one than that of what it calls.
// CHECK: func.func @main({{.*}}) attributes {mlc.clang_level = 1 : i64} {
// LLVM: llvm.func @mlc_main({{.*}}) -> i32 attributes {mlc.clang_level = 1 : i64} {
func.func @main(%x: memref<8x8xf32>, %y: memref<8x8xf32> {mlc.output}) attributes {schedule = #loop.schedule<[clang(1)]>} {
  func.call @kernel(%x, %y) : (memref<8x8xf32>, memref<8x8xf32>) -> ()
  return
}
