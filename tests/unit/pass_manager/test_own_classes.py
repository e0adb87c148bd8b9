"""Ops that were made of xDSL's classes compile as those that were parsed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import affine, arith, func, get_all_dialects
from xdsl.dialects.builtin import ModuleOp, UnitAttr, f32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import Rewriter

import mlc
from mlc.compiler.compilation import new_context
from mlc.dialects.graph import NegOp, ReluOp
from mlc.dialects.registry import dialect_names, load_dialect, registered_class
from mlc.pass_manager import lowering
from mlc.pass_manager._own_classes import take_own_classes
from mlc.pass_manager.base import Pass
from mlc.pass_manager.lowering import lowerings_for, lowers
from mlc.pass_manager.options import parse_passes
from mlc.pass_manager.registry import load_pass, pass_names
from mlc.passes.graph_to_tensor import Builder, Elementwise, Points
from mlc.reference.execution import has_meaning
from mlc.support.additions import count_registrations, plugin_scope
from mlc.support.context import CompilerContext
from mlc.syntax import parse_module

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_STEP = """
from xdsl.dialects import arith
from xdsl.dialects.builtin import f32
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition
from mlc.dialects.graph.unary import FloatUnaryOp
from mlc.passes.graph_to_tensor import Builder, Elementwise, Points
from mlc.pass_manager.lowering import lowers
from mlc.reference.execution import evaluates


@irdl_op_definition
class StepOp(FloatUnaryOp):
    name = "step.step"
    assembly_format = "$input attr-dict `:` type($result)"


@evaluates(StepOp)
def step(op, x):
    return (x > 0).astype(x.dtype)


@lowers("convert-graph-to-tensor", StepOp)
class LowerStep(Elementwise):
    def build(self, op, b):
        def point(p, x):
            zero, one = p.number(0.0, f32), p.number(1.0, f32)
            return p(arith.SelectOp, p(arith.CmpfOp, x, zero, "ogt"), one, zero)

        return self.map(op, b, point)


Step = Dialect("step", [StepOp])
"""
_TEXT = """func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %0 = step.step %x : tensor<5xf32>
  return %0 : tensor<5xf32>
}
"""


@pytest.mark.parametrize(
    "flags", [["-O3"], ["-O0"], ["--lower-to-tensor", "--lower-to-loops", "--plan-memory", "--lower-to-llvm"]]
)
def test_a_body_of_a_plugin(
    flags: list[str], mlc_opt: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("step.py").write_text(_STEP)
    result = mlc_opt("--load-dialect=step.py", "--check-each", "--verify-each", *flags, stdin=_TEXT)
    assert result.status == 0
    assert result.err.startswith("note: --check-each compared ")
    assert "llvm.fcmp" in result.out


def _module() -> ModuleOp:
    """A function of scalars that compares, selects and converts."""
    block = Block(arg_types=[f32, f32])
    with ImplicitBuilder(block) as (x, y):
        condition = arith.CmpfOp(x, y, "olt")
        func.ReturnOp(arith.SelectOp(condition, x, y))
    return ModuleOp([func.FuncOp("f", ((f32, f32), (f32,)), Region(block))])


def test_classes_are_replaced_and_all_else_stays() -> None:
    module = _module()
    before = str(module)
    function = next(iter(module.ops))
    take_own_classes(module)
    assert str(module) == before
    assert next(iter(module.ops)) is function
    compare, select, _ = function.regions[0].block.ops
    assert (type(compare), type(select)) == tuple(_own("arith", name) for name in ("cmpf", "select"))
    module.verify()


def _own(dialect: str, name: str) -> type:
    return next(op for op in load_dialect(dialect).operations if op.name == f"{dialect}.{name}")


def test_regions_and_names_go_along() -> None:
    inner = Region(Block([arith.ConstantOp.from_int_and_width(1, 32)]))
    loop = affine.ParallelOp.create(regions=[inner], attributes={"kept": UnitAttr()}, result_types=[f32])
    loop.results[0].name_hint = "sum"
    module = ModuleOp([loop])
    take_own_classes(module)
    (made,) = module.ops
    assert type(made) is _own("affine", "parallel")
    assert made.regions[0] is inner
    assert made.attributes == {"kept": UnitAttr()}
    assert made.results[0].name_hint == "sum"


def _pairs() -> dict[type[Operation], type[Operation]]:
    """The classes of xDSL whose ops mlc registers under a class of its own, with that class."""
    ours = {op.name: op for name in dialect_names() for op in load_dialect(name).operations}
    theirs = [op for name, make in get_all_dialects().items() if name in dialect_names() for op in make().operations]
    return {op: ours[op.name] for op in theirs if ours[op.name] is not op}


def test_each_table_is_looked_up_by_name() -> None:
    """All classes of xDSL that mlc has in another form are lowered and have a meaning as these."""
    for name in pass_names():
        load_pass(name)
    pairs = _pairs()
    assert len(pairs) > 35
    lowered = 0
    for theirs, ours in pairs.items():
        assert registered_class(theirs) is ours
        assert has_meaning(theirs) == has_meaning(ours), theirs.name
        for name in list(lowering._patterns):  # pyright: ignore[reportPrivateUsage]
            assert lowerings_for(name, theirs) == lowerings_for(name, ours), (name, theirs.name)
            lowered += bool(lowerings_for(name, theirs))
    assert lowered > 10


_LEVELS = {
    "arith, in a loop": """
func.func @main(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    %1 = arith.fptosi %a : f32 to i32
    %2 = arith.trunci %1 : i32 to i16
    %3 = arith.extsi %2 : i16 to i64
    %4 = arith.extui %2 : i16 to i64
    %5 = arith.cmpi slt, %3, %4 : i64
    %6 = arith.sitofp %3 : i64 to f32
    %7 = arith.uitofp %4 : i64 to f32
    %8 = arith.select %5, %6, %7 : f32
    %9 = arith.fptoui %a : f32 to i32
    %10 = arith.uitofp %9 : i32 to f32
    %11 = arith.cmpf ogt, %a, %8 : f32
    %12 = arith.select %11, %10, %8 : f32
    loop.store %12, %y[%m] : memref<8xf32>
  }
  return
}
""",
    "memref": """
memref.global "private" constant @w : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> {alignment = 64 : i64}
func.func private @k(%x: memref<8xf32>, %y: memref<8xf32>) -> index {
  %0 = memref.get_global @w : memref<4xf32>
  %1 = memref.extract_aligned_pointer_as_index %x : memref<8xf32> -> index
  return %1 : index
}
""",
}


@pytest.mark.parametrize("level", _LEVELS)
def test_ir_of_other_classes_is_lowered_as_the_text_is(level: str) -> None:
    of = {ours: theirs for theirs, ours in _pairs().items() if not issubclass(ours, theirs)}
    texts: list[str] = []
    for is_foreign in (False, True):
        ctx = new_context()
        module = parse_module(_LEVELS[level], "<text>", ctx)
        changed = 0
        for op in [op for op in module.walk() if is_foreign and type(op) in of]:
            Rewriter.replace_op(op, _copy_as(of[type(op)], op))
            changed += 1
        assert changed == (0 if not is_foreign else sum(_LEVELS[level].count(name) for name in _FOREIGN))
        mlc.PassManager(ctx).run(module, parse_passes("convert-loop-to-llvm"))
        texts.append(str(module))
    assert texts[0] == texts[1]
    assert "llvm.func" in texts[0]


_FOREIGN = (
    *(f"arith.{name} " for name in ("fptosi", "trunci", "extsi", "extui", "cmpi", "sitofp", "uitofp", "select")),
    *("arith.fptoui ", "arith.cmpf ", "memref.global ", "memref.extract_aligned_pointer_as_index "),
)


def _copy_as(op_type: type[Operation], op: Operation) -> Operation:
    return op_type.create(
        operands=op.operands,
        result_types=op.result_types,
        properties=op.properties,
        attributes=op.attributes,
        regions=[op.detach_region(region) for region in list(op.regions)],
    )


def test_a_pattern_of_a_program_makes_such_ops() -> None:
    """One that no file of a plugin holds, whose ops the passes behind it meet."""

    @lowers("convert-graph-to-tensor", ReluOp, benefit=2)
    class ReluBySelect(Elementwise):
        def build(self, op: Operation, b: Builder) -> SSAValue:
            def point(p: Points, x: SSAValue) -> SSAValue:
                zero = p.number(0.0, f32)
                return p(arith.SelectOp, p(arith.CmpfOp, x, zero, "ogt"), x, zero)

            return self.map(op, b, point)

    text, x = _TEXT.replace("step.step", "graph.relu"), np.array([-2, -1, 0, 1, 2], np.float32)
    module = mlc.parse(text)
    with plugin_scope():
        count_registrations(ReluBySelect.__module__)
        np.testing.assert_array_equal(mlc.compile(text)(x), np.maximum(x, 0))
        mlc.PassManager(mlc.context_of(module)).run(module, parse_passes("lower-to-llvm"))  # in one run
    assert "llvm.fcmp" in str(module)


def test_a_pass_of_a_program_makes_such_ops() -> None:
    class BySelect(Pass):
        name = "by-select"

        def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
            for op in [op for op in module.walk() if isinstance(op, arith.MaximumfOp)]:
                less = arith.CmpfOp(op.lhs, op.rhs, "olt")
                PatternRewriter(op).replace(op, [less, arith.SelectOp(less, op.rhs, op.lhs)])

    text = """func.func private @f(%x: f32, %y: f32) -> f32 {
      %0 = arith.maximumf %x, %y : f32
      return %0 : f32
    }"""
    module = mlc.parse(text)
    mlc.PassManager(mlc.context_of(module)).run(module, [BySelect(), *parse_passes("lower-to-llvm")])
    assert "llvm.fcmp" in str(module)


def test_passes_of_xdsl_run() -> None:
    """From Python, as they are."""

    @dataclass(frozen=True)
    class Negate(ModulePass):
        name = "negate"
        times: int = 1

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            assert isinstance(ctx, CompilerContext)
            for each in [each for each in op.walk() if isinstance(each, ReluOp)]:
                chain: list[Operation] = [NegOp(each.input)]
                for _ in range(self.times - 1):
                    chain.append(NegOp(chain[-1].results[0]))
                PatternRewriter(each).replace(each, chain)

    module = mlc.parse(_TEXT.replace("step.step", "graph.relu"))
    mlc.PassManager(mlc.context_of(module)).run(module, [Negate(3)])
    assert str(module).count("graph.neg") == 3
