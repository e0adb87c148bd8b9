"""LLVM IR text: how constants, attributes and symbols are spelled, and how a module is cut into units."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import (
    Builtin,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.parser import Parser

from mlc.dialects.llvm import LLVM
from mlc.support.errors import CompilerBug
from mlc.targets.cache import Cache
from mlc.targets.llvm_ir import emit_kernels, emit_module
from mlc.targets.llvm_ir_literals import spell_bytes, spell_constant, spell_type
from mlc.targets.machine import resolve_target
from mlc.targets.toolchain import find_clang

MACHINE = resolve_target("x86-64-v3")


@pytest.fixture
def parse() -> Callable[[str], ModuleOp]:
    ctx = Context()
    ctx.load_dialect(Builtin)
    ctx.load_dialect(LLVM)

    def parse_and_verify(text: str) -> ModuleOp:
        module = Parser(ctx, text).parse_module()
        module.verify()
        return module

    return parse_and_verify


def accepted(text: str, folder: Path) -> bool:
    """Whether clang takes the text."""
    clang = find_clang(None, Cache.default())
    command = [*clang.command, f"--target={MACHINE.triple}", "-c", "-x", "ir", "-", "-o", folder / "out.o"]
    return subprocess.run(command, input=text, text=True).returncode == 0


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        (IntegerAttr(-7, i64), "-7"),
        (IntegerAttr(1, i1), "true"),
        (IntegerAttr(0, i1), "false"),
        (FloatAttr(1.0, f64), "0x3FF0000000000000"),
        (FloatAttr(0.1, f64), "0x3FB999999999999A"),
        (FloatAttr(0.1, f32), "0x3FB99999A0000000"),
        (FloatAttr(-0.0, f32), "0x8000000000000000"),
        (FloatAttr(1e-45, f32), "0x36A0000000000000"),
        (FloatAttr(math.inf, f32), "0x7FF0000000000000"),
        (FloatAttr(-math.inf, f64), "0xFFF0000000000000"),
        (FloatAttr(math.nan, f32), "0x7FF8000000000000"),
        (FloatAttr(1.5, f16), "0xH3E00"),
        (FloatAttr(1.5, bf16), "0xR3FC0"),
    ],
)
def test_numbers(value: Attribute, spelled: str) -> None:
    assert spell_constant(value) == spelled


def vector_of(kind: Any, *values: float, lanes: int | None = None) -> Attribute:
    return DenseIntOrFPElementsAttr.from_list(VectorType(kind, [lanes or len(values)]), list(values))


def test_vectors() -> None:
    assert spell_constant(vector_of(i32, 1, -2)) == "<i32 1, i32 -2>"
    assert spell_constant(vector_of(i32, 5, lanes=3)) == "<i32 5, i32 5, i32 5>"
    assert spell_constant(vector_of(f32, 0.0, lanes=16)) == "zeroinitializer"
    assert spell_constant(vector_of(f32, -0.0, 0.0)) == "<float 0x8000000000000000, float 0x0000000000000000>"
    assert spell_constant(vector_of(i1, 1, 0)) == "<i1 true, i1 false>"
    assert spell_type(VectorType(f64, [8])) == "<8 x double>"


def test_bytes() -> None:
    assert spell_bytes(b'a"\\\x00\xff') == r'c"a\22\5C\00\FF"'
    assert spell_bytes(bytes(4)) == "zeroinitializer"


def test_vectors_of_two_dimensions_are_a_bug() -> None:
    with pytest.raises(CompilerBug, match="vectors of one dimension only, got vector<2x2xf32>"):
        spell_type(VectorType(f32, [2, 2]))


def test_other_ops_are_a_bug(parse: Callable[[str], ModuleOp]) -> None:
    module = parse("llvm.func @f() {\n llvm.return\n}")
    block = next(iter(module.ops)).regions[0].block
    assert block.first_op is not None
    block.insert_op_before(test_dialect.TestOp(), block.first_op)
    with pytest.raises(CompilerBug, match=r"'test\.op' cannot be written as LLVM IR"):
        emit_module(module, MACHINE)


KERNELS = """
llvm.mlir.global private constant @table(dense<[1, 2]> : tensor<2xi32>) {alignment = 16 : i64} : !llvm.array<2 x i32>
llvm.mlir.global external constant @"w-1"(dense_resource<w> : tensor<9xf32>) : !llvm.array<9 x f32>
llvm.func weak_odr hidden @first(%a: !llvm.ptr {llvm.noalias, llvm.readonly, llvm.align = 64 : i64}) {
  %t = llvm.mlir.addressof @table : !llvm.ptr
  %v = llvm.load %t : !llvm.ptr -> i32
  llvm.store %v, %a : i32, !llvm.ptr
  llvm.return
}
llvm.func weak_odr hidden @second(%a: !llvm.ptr {llvm.noalias, llvm.readonly, llvm.align = 64 : i64}) {
  %t = llvm.mlir.addressof @table : !llvm.ptr
  %v = llvm.load %t : !llvm.ptr -> i32
  llvm.store %v, %a : i32, !llvm.ptr
  llvm.return
}
llvm.func @mlc_main(%a: !llvm.ptr) -> i32 {
  %w = llvm.mlir.addressof @"w-1" : !llvm.ptr
  llvm.call @first(%w) : (!llvm.ptr) -> ()
  llvm.call @second(%a) : (!llvm.ptr) -> ()
  llvm.call @outside(%a) : (!llvm.ptr) -> ()
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.return %zero : i32
}
llvm.func @outside(!llvm.ptr)
"""


def test_whole_module(parse: Callable[[str], ModuleOp], tmp_path: Path) -> None:
    text = emit_module(parse(KERNELS), MACHINE)
    assert r'@table = private unnamed_addr constant [8 x i8] c"\01\00\00\00\02\00\00\00", align 16' in text
    assert "@w-1 = external hidden constant [9 x float], align 64" in text
    assert "define weak_odr hidden void @first(ptr noalias readonly align 64 %0) #0 {" in text
    assert "declare void @outside(ptr)" in text
    assert '"target-cpu"="x86-64-v3"' in text
    assert accepted(text, tmp_path)


def test_kernels_are_named_by_content_and_come_before_their_callers(
    parse: Callable[[str], ModuleOp], tmp_path: Path
) -> None:
    found = list(emit_kernels(parse(KERNELS), MACHINE))
    assert len(found) == 2, "equal kernels are one"
    kernel, main = found
    assert kernel.name.startswith("mlc_kernel_first_") and len(kernel.name) == len("mlc_kernel_first_") + 12
    assert f"define weak_odr hidden void @{kernel.name}(" in kernel.text
    assert main.name == "mlc_main" and main.text.count(f"call void @{kernel.name}(") == 2
    assert f"declare hidden void @{kernel.name}(ptr noalias readonly align 64)" in main.text
    assert "@w-1 = external hidden constant" in main.text and "@table" not in main.text
    assert all(accepted(each.text, tmp_path) for each in found)
    assert list(emit_kernels(parse(KERNELS), MACHINE)) == found


def test_kernels_of_other_levels_of_clang_are_others(parse: Callable[[str], ModuleOp]) -> None:
    head, of_second, tail = KERNELS.partition("@second")
    with_level = head + of_second + tail.replace(") {", ") attributes {mlc.clang_level = 2 : i64} {", 1)
    first, second, main = emit_kernels(parse(with_level), MACHINE)
    assert [each.opt_level for each in (first, second, main)] == [None, 2, None]
    assert first.name.rpartition("_")[2] != second.name.rpartition("_")[2]
    assert f"call void @{first.name}(" in main.text and f"call void @{second.name}(" in main.text


def test_control_flow_and_flags(parse: Callable[[str], ModuleOp], tmp_path: Path) -> None:
    text = emit_module(
        parse("""
llvm.func @f(%x: f32, %v: vector<4xf32>, %p: !llvm.ptr) -> f32 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^body(%zero, %x : i64, f32)
^body(%i: i64, %acc: f32):
  %m = llvm.fmul %acc, %x {fastmathFlags = #llvm.fastmath<fast>} : f32
  %s = llvm.fadd %m, %x {fastmathFlags = #llvm.fastmath<reassoc>} : f32
  %next = llvm.add %i, %one overflow<nsw, nuw> : i64
  %more = llvm.icmp "ult" %next, %one : i64
  llvm.cond_br %more, ^body(%next, %s : i64, f32), ^end
      {loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>, unroll = <count = 1 : i32>>}
^end:
  %mask = llvm.fcmp "olt" %v, %v : vector<4xf32>
  %c = llvm.select %mask, %v, %v : vector<4xi1>, vector<4xf32>
  %g = llvm.intr.masked.load %p, %mask, %c {alignment = 4 : i32}
     : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  llvm.intr.masked.store %g, %p, %mask {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
  %h = llvm.shufflevector %g, %c [0, 5, -1, 0] : vector<4xf32>
  %e = llvm.extractelement %h[%zero : i64] : vector<4xf32>
  %n = llvm.intr.abs(%i) {is_int_min_poison = false} : (i64) -> i64
  llvm.return %e : f32
}"""),
        MACHINE,
    )
    assert "fmul nnan nsz contract float" in text and "fadd float" in text, "of the fast-math flags, these go through"
    assert "phi i64 [ 0, %b0 ], [ %7, %b1 ]" in text
    assert "add nuw nsw i64" in text
    assert "!llvm.loop !0" in text and '!{!"llvm.loop.unroll.disable"}' in text
    assert "<i32 0, i32 5, i32 poison, i32 0>" in text
    assert "call i64 @llvm.abs.i64(i64 %3, i1 false)" in text
    assert accepted(text, tmp_path)


LOOP_FACTS = {
    "disableNonforced = true": "llvm.loop.disable_nonforced",
    "mustProgress = true": "llvm.loop.mustprogress",
    "isVectorized = true": "llvm.loop.isvectorized",
    "vectorize = <disable = false, predicateEnable = true, scalableEnable = false, width = 4 : i32>": (
        '!{!"llvm.loop.vectorize.enable", i1 true}, !{!"llvm.loop.vectorize.predicate.enable", i1 true}, '
        '!{!"llvm.loop.vectorize.scalable.enable", i1 false}, !{!"llvm.loop.vectorize.width", i32 4}'
    ),
    "interleave = <count = 2 : i32>": '!{!"llvm.loop.interleave.count", i32 2}',
    "unroll = <disable = false, runtimeDisable = true>": (
        '!{!"llvm.loop.unroll.enable"}, !{!"llvm.loop.unroll.runtime.disable"}'
    ),
    "unroll = <full = true>": '!{!"llvm.loop.unroll.full"}',
    "unroll = <count = 3 : i32>": '!{!"llvm.loop.unroll.count", i32 3}',
    "unroll = <count = 1 : i32>": '!{!"llvm.loop.unroll.disable"}',
    "unrollAndJam = <disable = true>": '!{!"llvm.loop.unroll_and_jam.disable"}',
    "unrollAndJam = <count = 2 : i32>": '!{!"llvm.loop.unroll_and_jam.count", i32 2}',
    "licm = <disable = true, versioningDisable = true>": (
        '!{!"llvm.licm.disable"}, !{!"llvm.loop.licm_versioning.disable"}'
    ),
    "distribute = <disable = true>": '!{!"llvm.loop.distribute.enable", i1 false}',
    "pipeline = <disable = true, initiationinterval = 2 : i32>": (
        '!{!"llvm.loop.pipeline.disable", i1 true}, !{!"llvm.loop.pipeline.initiationinterval", i32 2}'
    ),
    "peeled = <count = 1 : i32>": '!{!"llvm.loop.peeled.count", i32 1}',
    "unswitch = <partialDisable = true>": '!{!"llvm.loop.unswitch.partial.disable"}',
}
"""What upstream says of a loop, and the metadata that "LLVM Language Reference" and "Transformation Metadata" name."""


@pytest.mark.parametrize("fact", LOOP_FACTS)
def test_what_is_said_of_a_loop(fact: str, parse: Callable[[str], ModuleOp], tmp_path: Path) -> None:
    module = parse(f"""
llvm.func @f(%more: i1) {{
  llvm.br ^body
^body:
  llvm.cond_br %more, ^body, ^end {{loop_annotation = #llvm.loop_annotation<{fact}>}}
^end:
  llvm.return
}}""")
    assert f"#llvm.loop_annotation<{fact}>" in str(module)
    text = emit_module(module, MACHINE)
    assert LOOP_FACTS[fact] in text
    assert accepted(text, tmp_path)


def test_attributes_of_functions(parse: Callable[[str], ModuleOp], tmp_path: Path) -> None:
    module = parse("""
llvm.func @f() attributes {passthrough = ["cold", "of-no-meaning", ["prefer-vector-width", "128"]]} {
  llvm.return
}
llvm.func @g() {
  llvm.return
}
llvm.func @h() attributes {passthrough = [["prefer-vector-width", "128"], "cold", "of-no-meaning"]} {
  llvm.return
}""")
    text = emit_module(module, MACHINE)
    f, g = (line for line in text.splitlines() if line.startswith("attributes #"))
    assert '"prefer-vector-width"="128"' in f and f.endswith(' cold "of-no-meaning" }')
    assert '"prefer-vector-width"="256"' in g and "cold" not in g
    assert [line.split(" void ")[1][:-2] for line in text.splitlines() if "define" in line] == [
        "@f() #0",
        "@g() #1",
        "@h() #0",
    ]
    assert accepted(text, tmp_path)
