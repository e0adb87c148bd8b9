// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Attributes and types that mlc only carries along; aliases in them are spelled out.

#file = #llvm.di_file<"a # #b.c" in "/">
#unit = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C, file = #file, isOptimized = false,
                              emissionKind = None>
#root = #llvm.tbaa_root<id = "root">
#char = #llvm.tbaa_type_desc<id = "char", members = {<#root, 0>}>
#tag = #llvm.tbaa_tag<base_type = #char, access_type = #char, offset = 0>
#place = loc("a.c":42:4)
#group = #llvm.access_group<id = distinct[1]<>>
#other = #llvm.access_group<id = distinct[2]<>>
#loop = #llvm.loop_annotation<unroll = <count = 4 : i32>, mustProgress = true, startLoc = #place,
                              parallelAccesses = #group, #other>

// CHECK: file = #llvm.di_file<"a # #b.c" in "/">
// CHECK-SAME: unit = #llvm.di_compile_unit<id = distinct[0]<>, {{.*}}, file = #llvm.di_file<"a # #b.c" in "/">, isOpt
"test.op"() {file = #file, unit = #unit} : () -> ()

// CHECK: llvm.mlir.global external @target() {{.*}} : !llvm.target<"spirv.Image", i32, 0>
llvm.mlir.global @target() : !llvm.target<"spirv.Image", i32, 0>

llvm.func @f(%c: i1, %p: !llvm.ptr, %n: i32) {
  // CHECK: !llvm.vec<? x 4 x ppc_fp128>
  %v = llvm.alloca %n x !llvm.vec<? x 4 x ppc_fp128> : (i32) -> !llvm.ptr
  // CHECK: tbaa = [#llvm.tbaa_tag<base_type = #llvm.tbaa_type_desc<id = "char", members = {<#llvm.tbaa_root<id = "root">, 0>}>,
  %x = llvm.load %p {tbaa = [#tag]} : !llvm.ptr -> i8
  // CHECK: #llvm.loop_annotation<unroll = <count = 4 : i32>, mustProgress = true, startLoc = loc("a.c":42:4), parallelAccesses = #llvm.access_group<id = distinct[1]<>>, #llvm.access_group<id = distinct[2]<>>>
  llvm.br ^next {loop_annotation = #loop}
^next:
  llvm.return
}
