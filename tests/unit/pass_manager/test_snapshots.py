"""What a pass left as it was is not run again by `--check-each`; what may compute something else is."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects.builtin import FloatAttr, ModuleOp, TensorType, UnitAttr, bf16, f32
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from mlc.compiler.compilation import new_context
from mlc.pass_manager import checking
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.pass_manager.snapshots import Changes, Snapshots
from mlc.reference.interpreter import run_function
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug, UserError
from mlc.syntax import parse_module

TEXT = """
    func.func private @kernel(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = tensor.map %x[i] over (i: 3) : tensor<3xf32> -> tensor<3xf32> {
      ^bb0(%a: f32):
        %zero = arith.constant 0.0 : f32
        %b = arith.addf %a, %zero : f32
        tensor.yield %b : f32
      }
      return %y : tensor<3xf32>
    }
    func.func @model(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = func.call @kernel(%x) : (tensor<3xf32>) -> tensor<3xf32>
      return %y : tensor<3xf32>
    }
    func.func @other(%x: tensor<3xf32>) -> tensor<3xf32> {
      %w = graph.constant dense_resource<w> : tensor<3xf32>
      %c = graph.cast %x : tensor<3xf32> -> tensor<3xf16>
      %d = graph.cast %c : tensor<3xf16> -> tensor<3xf32>
      %y = graph.add %d, %w : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
      return %y : tensor<3xf32>
    }
"""
ALL = {"kernel", "model", "other"}


def parsed() -> tuple[ModuleOp, CompilerContext]:
    ctx = new_context()
    ctx.resources.define("w", np.ones(3, np.float32))
    return parse_module(TEXT, "test.mlir", ctx), ctx


def find(module: ModuleOp, name: str) -> Operation:
    return next(op for op in module.walk() if op.name == name)


def add_minus_zero(module: ModuleOp, ctx: CompilerContext) -> None:
    find(module, "arith.constant").properties["value"] = FloatAttr(-0.0, f32)


def take_other_operands(module: ModuleOp, ctx: CompilerContext) -> None:
    add = find(module, "graph.add")
    add.operands = [add.operands[1], add.operands[0]]


def cast_to_another_type(module: ModuleOp, ctx: CompilerContext) -> None:
    Rewriter.replace_value_with_new_type(find(module, "graph.cast").results[0], TensorType(bf16, [3]))


def replace_data(module: ModuleOp, ctx: CompilerContext) -> None:
    ctx.resources.define("w", np.zeros(3, np.float32))


def change_the_schedule(module: ModuleOp, ctx: CompilerContext) -> None:
    find(module, "func.func").attributes["schedule"] = UnitAttr()


def change_another_attribute(module: ModuleOp, ctx: CompilerContext) -> None:
    find(module, "func.func").attributes["limits"] = UnitAttr()


def nothing(module: ModuleOp, ctx: CompilerContext) -> None:
    ctx.resources.add(np.ones(2), "new")


@pytest.mark.parametrize(
    ("change", "changes"),
    [
        (nothing, Changes(set(), set())),
        (change_the_schedule, Changes(set(), set())),
        (change_another_attribute, Changes({"kernel"}, {"kernel", "model"})),
        (add_minus_zero, Changes({"kernel"}, {"kernel", "model"})),
        (take_other_operands, Changes({"other"}, {"other"})),
        (cast_to_another_type, Changes({"other"}, {"other"})),
        (replace_data, Changes(ALL, ALL)),
    ],
)
def test_what_a_pass_changed(change: Callable[[ModuleOp, CompilerContext], None], changes: Changes) -> None:
    module, ctx = parsed()
    snapshots = Snapshots()
    assert snapshots.changes(module, ctx.resources) == Changes(ALL, ALL)
    snapshots.keep(module, ctx.resources)
    assert snapshots.changes(module, ctx.resources) == Changes(set(), set())
    change(module, ctx)
    assert snapshots.changes(module, ctx.resources) == changes
    snapshots.keep(module, ctx.resources)
    assert snapshots.changes(module, ctx.resources) == Changes(set(), set())


def test_data_that_a_pass_dropped_is_kept_for_the_form_that_had_it() -> None:
    module, ctx = parsed()
    name = ctx.resources.add(np.full(3, 2, np.float32), "made")
    module = parse_module(TEXT.replace("dense_resource<w>", f"dense_resource<{name}>"), "test.mlir", ctx)
    form = Snapshots().keep(module, ctx.resources)
    ctx.resources.drop(name)
    (found,) = run_function(form.module, "other", [np.zeros(3, np.float32)], form.resources)
    assert found.tolist() == [2, 2, 2]


def test_only_what_is_compared_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def run(module: ModuleOp, name: str, *args: object, **options: object) -> object:
        ran.append(name)
        return run_function(module, name, *args, **options)  # pyright: ignore

    monkeypatch.setattr(checking, "run_function", run)
    module, ctx = parsed()
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    checker.check("nothing", module)
    assert (ran, checker.coverage()) == ([], ["found no function that a pass changed"])
    take_other_operands(module, ctx)
    checker.check("swap", module)
    assert set(ran) == {"other"}
    assert re.fullmatch("compared [0-9]+ values of 1 function", checker.coverage()[0])
    assert checker.inputs_of("kernel") is not None
    assert set(ran) == {"other", "kernel"}


GATHER = """
    func.func @main(%x: tensor<3xf32>) -> tensor<1xf32> {
      %i = graph.constant dense<[7]> : tensor<1xi64>
      %y = graph.gather %x, %i axis 0 : tensor<3xf32>, tensor<1xi64> -> tensor<1xf32>
      %z = graph.OP %y : tensor<1xf32>
      return %z : tensor<1xf32>
    }
"""


def test_undefined_behavior_is_blamed_on_who_made_it_when_it_is_found() -> None:
    ctx = new_context()
    first, second = (parse_module(GATHER.replace("OP", op), "test.mlir", ctx) for op in ("neg", "abs"))
    checker = EquivalenceChecker(ctx)
    checker.start(first)
    with pytest.raises(UserError, match=r"'main' has undefined behavior: graph.gather: index 7 is out of range"):
        checker.check("change", second)
    checker.start(ModuleOp([]))
    checker.check("make", first)
    with pytest.raises(CompilerBug, match=r"after 'make', 'main' has undefined behavior: graph.gather: index 7"):
        checker.check("change", second)
