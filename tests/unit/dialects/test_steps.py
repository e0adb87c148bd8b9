"""Steps of schedules: what a class has to be, and what its values may be."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from mlc.compiler import new_context
from mlc.dialects.loop import ForOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import Form, LoopName, Step, load_step, make_step, plugin_steps, step_names
from mlc.passes.loop.steps.base import LoopStep
from mlc.passes.loop.steps.interchange import Interchange
from mlc.passes.loop.steps.tile import Tile
from mlc.passes.loop.steps.vectorize import Vectorize
from mlc.support.additions import plugin_scope
from mlc.support.errors import UserError
from mlc.syntax import parse_module

_NEST = """func.func @f(%x: memref<8x8xf32>) {
  loop.for parallel "m" %m = 0 to 8 {
    loop.for parallel "n" %n = 0 to 8 {
      %0 = loop.load %x[%m, %n] : memref<8x8xf32>
      loop.store %0, %x[%m, %n] : memref<8x8xf32>
    }
  }
  return
}"""


def test_what_is_written_is_what_is_read() -> None:
    for step in (Tile("n", 64), Interchange.around("n", "m", "k"), Vectorize("n"), Vectorize("n", 8)):
        name, _, arguments = step.spelling.rstrip(")").partition("(")
        assert make_step(name, [int(a) if a.isdigit() else a for a in arguments.split(", ")]) == step


@pytest.mark.parametrize("name", step_names())
def test_every_step_says_what_it_is(name: str) -> None:
    kind = load_step(name)
    assert issubclass(kind, LoopStep) and kind.example.startswith(f"{name}(") and len(kind.summary()) > 20
    loops = [op for op in parse_module(_NEST, "nest.mlir", new_context()).walk() if isinstance(op, ForOp)]
    step = kind.drawn(Random(1), loops[0])
    assert step == make_step(
        name, [int(a) if a.isdigit() else a for a in step.spelling[len(name) + 1 : -1].split(", ")]
    )
    assert step.words(LoopPlan())


def test_values_are_checked_where_they_are_made() -> None:
    with pytest.raises(UserError, match="'tile' takes a positive size"):
        Tile("n", 0)
    with pytest.raises(UserError, match=r"'interchange\(n, n\)' names a loop twice"):
        Interchange.around("n", "n")


@dataclass(frozen=True)
class _Wrong(Step):
    """takes what cannot be written"""

    name = "wrong"

    loop: LoopName
    factor: float


@dataclass(frozen=True)
class _Backwards(Step):
    """has a name behind a number"""

    name = "backwards"

    size: int
    loop: LoopName


def test_a_class_that_no_text_stands_for_is_refused() -> None:
    with pytest.raises(UserError, match="'wrong' has an argument of type <class 'float'>; they are LoopName"):
        Form.of(_Wrong)
    with pytest.raises(UserError, match="'backwards' has a name behind a number"):
        Form.of(_Backwards)


def test_two_steps_of_one_name_are_refused() -> None:
    with (
        plugin_scope(),
        pytest.raises(UserError, match=r"two schedule steps are named 'tile': one of mlc, one of 'x\.py'"),
    ):
        plugin_steps.add("tile", lambda: Tile, "'x.py'")
    with plugin_scope():
        plugin_steps.add("wrong", lambda: Tile, "'x.py'")
        with pytest.raises(UserError, match=r"'x\.py' promises a schedule step 'wrong', found <class"):
            load_step("wrong")
