"""Some graphs of `mlc.testing.random_graphs`, with fixed seeds."""

from __future__ import annotations

import pytest

from mlc.compiler.compilation import new_context
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.support.errors import CompilerBug
from mlc.support.rounding import Rounding
from mlc.syntax.parse import parse_module
from mlc.testing.random_graphs import check_graph, random_graph

_FALSE_ALARMS = (1020, 5055, 230197, 404655, 404850, 405466, 406765, 407756)
"""Seeds of graphs that once raised a false alarm: a denormal number became 0, 0 / 0 is NaN, a product underflows in one
order of its factors, the exponent of a power is an integer in one order of a sum, and bits are those of a NaN, of 0, of
a difference whose sign is rounding, and of a number one unit further."""
_DEFECTS = (406268,)
"""Seeds of graphs that a pass changed: `expm1` of the least number was 0."""
_WRONG = {
    404655: ("graph.log ", "graph.log1p "),
    404850: ("graph.pow %v0, %v1", "graph.pow %v0, %z"),
    405466: ("graph.min ", "graph.max "),
    406268: ("graph.expm1 ", "graph.sinh "),
    406765: ("graph.cos ", "graph.sin "),
    407756: ("graph.silu ", "graph.gelu "),
}
"""What is computed wrongly in some of them."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_passes_keep_what_a_graph_computes(seed: int) -> None:
    check_graph(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*_FALSE_ALARMS, *_DEFECTS])
def test_what_was_an_alarm_is_none(seed: int) -> None:
    check_graph(seed)


@pytest.mark.parametrize("seed", _WRONG)
def test_what_is_wrong_is_still_found(seed: int) -> None:
    """However much the rounding of such graphs leaves open."""
    text = random_graph(seed)
    wrong = text.replace(*_WRONG[seed])
    assert wrong != text
    ctx = new_context()
    checker = EquivalenceChecker(ctx, seed)
    checker.start(parse_module(text, "text", ctx))
    with pytest.raises(CompilerBug, match="computes something else"):
        checker.check("wrong", parse_module(wrong, "wrong", ctx), Rounding(8, "functions become polynomials"))


def test_a_seed_stands_for_a_graph() -> None:
    assert random_graph(3) == random_graph(3) != random_graph(4)
