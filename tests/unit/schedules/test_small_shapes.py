"""Some small and degenerate shapes are lowered: the quick part of tests/numeric/test_small_shapes.py."""

from __future__ import annotations

import pytest

from mlc.dialects import graph
from mlc.tests.numeric.small_shapes import FAMILIES, lower, ops_of

EVERY = 101
"""One case in this many is tried: a prime, so that all ops have their turn."""


@pytest.mark.parametrize(
    "target", [*(pytest.param(f"x86-64-v{n}", marks=pytest.mark.slow) for n in (3, 4)), "x86-64-v2", "aarch64"]
)
@pytest.mark.parametrize("family", FAMILIES)
def test_lowered(family: str, target: str) -> None:
    lower(list(FAMILIES[family]())[::EVERY], target)


def test_every_op_is_tried() -> None:
    """Of the ops that compute by themselves, not by what is in them."""
    others = {graph.ConstantOp, graph.FusionOp, graph.IfOp, graph.ScanOp, graph.WhileOp, graph.YieldOp}
    assert ops_of(c for family in FAMILIES.values() for c in family()) == set(graph.Graph.operations) - others
