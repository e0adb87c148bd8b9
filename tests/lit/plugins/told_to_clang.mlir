// RUN: mlc-opt --load-pass %S/Inputs/told_to_clang.py %s --apply-schedule | filecheck %s
// RUN: mlc-opt --load-pass %S/Inputs/told_to_clang.py %s --apply-schedule --lower-to-llvm | filecheck %s --check-prefix=LOW
// RUN: mlc-opt --load-pass %S/Inputs/told_to_clang.py %s --target x86-64-v3 --apply-schedule --lower-to-llvm --emit=llvm-ir | filecheck %s --check-prefix=LLVM

// A step in one file reaches clang: by metadata of a loop, and by attributes of a function, which what runs on other
// threads has, too. Functions without a word have those of the target alone.

// CHECK: func.func private @kernel({{.*}}) attributes {passthrough = {{\[}}["prefer-vector-width", "128"], "cold"]} {
// CHECK: attributes {loop_annotation = #llvm.loop_annotation<vectorize = <disable = false>, interleave = <count = 2 : i32>>} {
// LOW: llvm.func weak_odr hidden @kernel_m({{.*}}) attributes {passthrough = {{\[}}["prefer-vector-width", "128"], "cold"]} {
// LOW: llvm.func weak_odr hidden @kernel_m_task({{.*}}) attributes {passthrough = {{\[}}["prefer-vector-width", "128"], "cold"]} {
// LOW: llvm.func weak_odr hidden @kernel({{.*}}) attributes {passthrough = {{\[}}["prefer-vector-width", "128"], "cold"]} {
// LOW: llvm.func @mlc_main({{.*}}) -> i32 {
// LLVM: define weak_odr hidden {{.*}} #0 {
// LLVM: br i1 {{.*}}, !llvm.loop !0
// LLVM: define weak_odr hidden {{.*}} #0 {
// LLVM: define weak_odr hidden {{.*}} #0 {
// LLVM: define {{.*}}@mlc_main{{.*}} #1 {
// LLVM: attributes #0 = { nounwind {{.*}}"prefer-vector-width"="128"{{.*}} cold }
// LLVM-NEXT: attributes #1 = { nounwind {{.*}}"prefer-vector-width"="256"
// LLVM: !0 = distinct !{!0, !{!"llvm.loop.vectorize.enable", i1 true}, !{!"llvm.loop.interleave.count", i32 2}}
func.func private @kernel(%x: memref<8x8xf32>, %y: memref<8x8xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[threads(m), interleave(n, 2), vector_width(128)]>} {
  loop.for parallel "m" %m = 0 to 8 {
    loop.for parallel "n" %n = 0 to 8 {
      %a = loop.load %x[%m, %n] : memref<8x8xf32>
      loop.store %a, %y[%m, %n] : memref<8x8xf32>
    }
  }
  return
}

func.func @main(%x: memref<8x8xf32>, %y: memref<8x8xf32> {mlc.output}) {
  func.call @kernel(%x, %y) : (memref<8x8xf32>, memref<8x8xf32>) -> ()
  return
}
