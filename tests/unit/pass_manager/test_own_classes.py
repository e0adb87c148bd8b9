"""Ops that were made of xDSL's classes compile as those that were parsed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import affine, arith, func
from xdsl.dialects.builtin import ModuleOp, UnitAttr, f32
from xdsl.ir import Block, Region

from mlc.dialects.registry import load_dialect
from mlc.pass_manager._own_classes import take_own_classes

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
