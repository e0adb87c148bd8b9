"""Moves to shapes that depend on a call: what is proved is built, and what is not is refused."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from xdsl.dialects.builtin import ModuleOp, TensorType, f32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.extents import result_extents
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.knowledge import Knowledge
from mlc.frontends.operators.open_shapes import counted, cut, expanded, reshaped, shape_sizes
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, ExtentSymbol, SymbolicSize, smaller
from mlc.support.resources import Resources


class _Function:
    """A function of x [n, 6, m], where n is from 1 to 4 and m from 2 to 8, and of w [6, 8]."""

    def __init__(self) -> None:
        types = [TensorType(f32, [4, 6, 8]), TensorType(f32, [6, 8]), *[TensorType(i64, [])] * 2]
        function = FuncOp("f", (types, []))
        self.module = ModuleOp([function])
        block = function.body.block
        block.add_op(last := ReturnOp())
        self.x, self.w, n, m = block.args
        self.b = GraphBuilder(last, Knowledge(Resources(), result_extents))
        self.b.knowledge.open_dim(self.x, 0, n, range(1, 5))
        self.b.knowledge.open_dim(self.x, 2, m, range(2, 9))
        n.name_hint, m.name_hint = "n", "m"
        self.n, self.m = SymbolicSize.of(ExtentSymbol(n, 1, 4)), SymbolicSize.of(ExtentSymbol(m, 2, 8))


_Case = Callable[[_Function], SSAValue]


@pytest.mark.parametrize(
    ("move", "shape", "sizes"),
    [
        (lambda f: reshaped(f.b, f.x, [f.n, 2, 3, f.m]), (4, 2, 3, 8), lambda f: [f.n, 2, 3, f.m]),
        (lambda f: reshaped(f.b, f.x, [-1, f.m]), (24, 8), lambda f: [f.n * 6, f.m]),
        (lambda f: reshaped(f.b, f.x, [f.n * 2, 3, -1]), (8, 3, 8), lambda f: [f.n * 2, 3, f.m]),
        (lambda f: reshaped(f.b, f.x, [f.m, 6, f.n]), (8, 6, 4), lambda f: [f.m, 6, f.n]),
        (lambda f: reshaped(f.b, f.x, [f.n, -1]), (4, 48), lambda f: [f.n, f.m * 6]),
        (lambda f: reshaped(f.b, f.x, [-1]), (192,), lambda f: [f.n * f.m * 6]),
        (lambda f: reshaped(f.b, reshaped(f.b, f.x, [-1]), [3, f.n * 2, f.m]), (3, 8, 8), lambda f: [3, f.n * 2, f.m]),
        (lambda f: expanded(f.b, f.w, [f.n, 1, 1]), (4, 6, 8), lambda f: [f.n, 6, 8]),
        (lambda f: expanded(f.b, f.x, [1, 1, f.m]), (4, 6, 8), lambda f: [f.n, 6, f.m]),
        (lambda f: cut(f.b, f.w, 1, 0, f.m, 1), (6, 8), lambda f: [6, f.m]),
        (lambda f: cut(f.b, f.x, 2, 1, 2, 1), (4, 6, 1), lambda f: [f.n, 6, 1]),
        (lambda f: cut(f.b, f.x, 2, 1, -(1 << 62), -1), (4, 6, 2), lambda f: [f.n, 6, 2]),
        (lambda f: cut(f.b, f.x, 1, 4, 0, -2), (4, 2, 8), lambda f: [f.n, 2, f.m]),
        (lambda f: cut(f.b, f.x, 2, -2, 1 << 62, 1), (4, 6, 2), lambda f: [f.n, 6, 2]),
        (lambda f: cut(f.b, f.x, 2, 1, -1, 1), (4, 6, 6), lambda f: [f.n, 6, f.m - 2]),
        (lambda f: cut(f.b, f.x, 2, 3, f.m, 1), (4, 6, 5), lambda f: [f.n, 6, f.m - smaller(3, f.m)]),
        (lambda f: cut(f.b, f.x, 2, f.n, f.m, 1), (4, 6, 7), lambda f: [f.n, 6, f.m - smaller(f.n, f.m)]),
        (lambda f: cut(f.b, f.x, 2, -5, 1 << 62, 1), (4, 6, 5), lambda f: [f.n, 6, smaller(f.m, 5)]),
        (lambda f: cut(f.b, f.x, 2, 0, f.m, 2), (4, 6, 4), lambda f: [f.n, 6, (f.m + 1) // 2]),
        (lambda f: cut(f.b, f.x, 2, 1, f.m - 1, 3), (4, 6, 2), lambda f: [f.n, 6, f.m // 3]),
        (lambda f: cut(f.b, f.x, 2, f.n, f.m, 4), (4, 6, 2), lambda f: [f.n, 6, (f.m - smaller(f.n, f.m) + 3) // 4]),
        (lambda f: cut(f.b, f.x, 2, -1, -(1 << 62), -1), (4, 6, 8), lambda f: [f.n, 6, f.m]),
        (lambda f: cut(f.b, f.x, 2, -1, -(1 << 62), -2), (4, 6, 4), lambda f: [f.n, 6, (f.m + 1) // 2]),
        (lambda f: cut(f.b, f.x, 2, -1, 0, -1), (4, 6, 7), lambda f: [f.n, 6, f.m - 1]),
        (lambda f: cut(f.b, f.w, 1, f.m, 1, -1), (6, 6), lambda f: [6, smaller(f.m, 7) - 1]),
        (lambda f: cut(f.b, f.x, 2, f.m, f.n, 1), (4, 6, 0), lambda f: [f.n, 6, 0]),
        (lambda f: counted(f.b, 0, f.m, 1, i64), (8,), lambda f: [f.m]),
        (lambda f: counted(f.b, f.n, f.n + f.m, 2, i64), (4,), lambda f: [(f.m + 1) // 2]),
        (lambda f: counted(f.b, f.m, 0, -1, i64), (8,), lambda f: [f.m]),
    ],
)
def test_moves(move: _Case, shape: tuple[int, ...], sizes: Callable[[_Function], Sequence[AnySize]]) -> None:
    function = _Function()
    found = move(function)
    assert shape_of(found) == shape
    assert shape_sizes(function.b, found) == list(sizes(function))
    function.module.verify()


@pytest.mark.parametrize(
    ("move", "words"),
    [
        (lambda f: reshaped(f.b, f.x, [f.n, 5, f.m]), "the number of elements is another one"),
        (lambda f: reshaped(f.b, f.x, [-1, 5]), "no extent fits -1"),
        (lambda f: reshaped(f.b, f.x, [-1, -1, 6]), "no extent fits -1"),
        (lambda f: reshaped(f.b, f.w, [f.n, 12]), "the number of elements is another one"),
        (lambda f: expanded(f.b, f.x, [f.n, 6, 8]), "do not broadcast for all extents"),
        (lambda f: expanded(f.b, f.w, [6, f.m]), "do not broadcast for all extents"),
        (lambda f: cut(f.b, f.w, 1, f.m - 4, 0, -2), "it takes .m - 4:0:-2. of 8 elements"),
        (lambda f: counted(f.b, f.m, f.n, 1, i64), "it counts from m to n"),
        (lambda f: counted(f.b, 0, f.n * (1 << 40), 1, i64), "it counts 4398046511104 numbers"),
        (lambda f: counted(f.b, 0, f.n, 0, i64), "in steps of 0"),
    ],
)
def test_what_is_not_proved_is_refused(move: _Case, words: str) -> None:
    with pytest.raises(Unconvertible, match=words):
        move(_Function())


def test_other_extents_are_named() -> None:
    f = _Function()
    with pytest.raises(Unconvertible, match=r"extents of \(m / 2\) and 8; .* a range with steps, as 32\.\.512by32$"):
        f.b.add(f.b.sized(f.w, {1: f.m // 2}), f.w)
    with pytest.raises(Unconvertible, match=r"1 of its operands has extents of m and 8; required: one, or 1$"):
        f.b.add(f.b.sized(f.w, {1: f.m}), f.w)


def test_equal_extents_are_one_value() -> None:
    function = _Function()
    b = function.b
    first = b.extent(function.n * 2)
    again = b.add(b.extent(function.n), b.extent(function.n))
    assert b.size_of(again) == b.size_of(first)
    view = b.sized(function.w, {1: function.m})
    assert view is not function.w
    assert b.knowledge.extents[view][1] is b.extent(function.m)
    assert function.w not in b.knowledge.extents
    assert b.sized(function.w, {1: 8}) is function.w
    with pytest.raises(Unconvertible, match="an extent from 4 to 16 is asked for, of 8 elements"):
        b.sized(function.w, {1: function.m * 2})
