"""What graph ops make of sizes: for all extents what they make of the numbers, or nothing."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType, i1, i64
from xdsl.ir import Block

from mlc.dialects import graph
from mlc.frontends.operators.size_rules import sizes_of
from mlc.frontends.operators.sizes import SizeArray, SymbolicSize, bounds
from mlc.reference.folding import computed
from mlc.testing.repetitions import repetitions
from tests.unit.frontends.operators.test_sizes import EXTENTS, A, B, random_size, value_of

_BINARY = [
    graph.AddOp, graph.SubOp, graph.MulOp, graph.DivOp, graph.RemOp, graph.ModOp, graph.MaxOp, graph.MinOp,
]  # fmt: skip
_BLOCK = Block(arg_types=[TensorType(i64, []), TensorType(i64, []), TensorType(i1, []), TensorType(i1, [100])])
_X, _Y, _TRUTH, _MANY = _BLOCK.args


def _scalar(size: object) -> SizeArray:
    found = np.empty((), object)
    found[()] = size
    return found


def _of(op: Any, *sizes: object) -> object:
    """What an op makes of two sizes; None if it is not known."""
    given = [_scalar(size) if isinstance(size, SymbolicSize) else None for size in sizes]
    known = [None if isinstance(size, SymbolicSize) else np.asarray(size, np.int64) for size in sizes]
    found = sizes_of(op, given, known)
    return None if found is None else found.item()


@pytest.mark.parametrize("kind", _BINARY, ids=lambda kind: kind.name)
def test_binary_ops(kind: type[Any]) -> None:
    rng, decided, op = random.Random(1), 0, kind(_X, _Y)
    for _ in repetitions(400, 150):
        a, b = random_size(rng), rng.randint(1, 4) if rng.random() < 0.5 else random_size(rng)
        if not isinstance(a, SymbolicSize) and not isinstance(b, SymbolicSize):
            continue
        if (found := _of(op, a, b)) is None:
            continue
        decided += 1
        for given in rng.sample(EXTENTS, 12):
            x, y = (np.asarray(value_of(each, given)) for each in (a, b))
            assert value_of(found, given) == computed(op, [x, y])  # pyright: ignore[reportArgumentType]
    assert decided >= 20


@pytest.mark.parametrize("kind", [graph.SignOp, graph.NegOp])
def test_unary_ops(kind: type[Any]) -> None:
    rng, decided, op = random.Random(2), 0, kind(_X)
    for _ in repetitions(400, 150):
        if isinstance(a := random_size(rng), SymbolicSize) and (found := _of(op, a)) is not None:
            decided += 1
            for given in rng.sample(EXTENTS, 12):
                assert value_of(found, given) == computed(op, [np.asarray(value_of(a, given))])  # pyright: ignore[reportArgumentType]
    assert decided >= 20


def test_remainders_have_bounds() -> None:
    found = _of(graph.RemOp(_X, _Y), A + 7, 4)
    assert isinstance(found, SymbolicSize)
    assert bounds(found)[0] <= 0 and bounds(found)[1] >= 3


@pytest.mark.parametrize(("a", "b"), [(A - 3, 2), (A, B), (A, -2), (A, 0)])
def test_remainders_that_are_not_known(a: object, b: object) -> None:
    """The sign of the number, or the divisor, depends on extents; none is a division by 0."""
    assert _of(graph.RemOp(_X, _Y), a, b) is None


def test_what_is_false_whatever_else_is_known() -> None:
    both = graph.AndOp(_TRUTH, _TRUTH)
    for known in ([np.asarray(False), None], [None, np.asarray(False)]):
        found = sizes_of(both, [None, None], known)
        assert found is not None and found.shape == () and found.item() == 0
    assert sizes_of(both, [None, None], [np.asarray(True), None]) is None
    assert sizes_of(graph.OrOp(_TRUTH, _TRUTH), [None, None], [np.asarray(False), None]) is None
    assert sizes_of(graph.AndOp(_MANY, _MANY), [None, None], [np.zeros(100, np.bool_), None]) is None
    spread = sizes_of(graph.AndOp(_MANY, _TRUTH), [None, None], [None, np.asarray(False)])
    assert spread is None  # as many numbers describe no shape
