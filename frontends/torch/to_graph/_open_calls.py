"""What calls say of extents that are known when the model runs: shapes and integers as polynomials of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from mlc.dialects.aten.open_extents import SIZES
from mlc.frontends.operators.data_extents import open_dims_at_calls
from mlc.frontends.operators.graph_builder import GraphBuilder, Knowledge
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, ExtentSymbol, SymbolicSize, in_symbols
from mlc.support.functions import RANGE, marks_of, range_in


def extents_of_calls(function: FuncOp, knowledge: Knowledge) -> list[AnySize]:
    """The extents that a function takes as arguments, with `mlc.range`; what its other arguments are of them is noted.

    Raises:
        UserError: an attribute of an argument is wrong.
    """
    marks = marks_of(function.args, function.arg_attrs)
    found: list[AnySize] = []
    for argument, own in zip(function.args, marks, strict=True):
        if RANGE in own and (allowed := range_in(own)) is not None:
            found.append(ExtentSymbol.of(argument, allowed))
    if not found:
        return []
    open_dims_at_calls(function, knowledge)
    first = function.body.block.first_op
    assert first is not None
    b = GraphBuilder(first, knowledge)
    for argument, own in zip(function.args, marks, strict=True):
        for shape in _shapes(own.get(SIZES), found) or ():
            sizes = {axis: size for axis, size in enumerate(shape) if isinstance(size, SymbolicSize)}
            b.bounded(argument, {axis: b.extent(size) for axis, size in sizes.items()})
    return found


def shapes_of(op: Operation, extents: Sequence[AnySize]) -> list[list[AnySize]] | None:
    """The shapes of the results of an op, where extents of the call are in them."""
    return _shapes(op.attributes.get(SIZES), extents)


def _shapes(said: Any, extents: Sequence[AnySize]) -> list[list[AnySize]] | None:
    if said is None:
        return None
    return [sizes_in(each.data, extents) for each in cast("ArrayAttr[AffineMapAttr]", said)]


def sizes_in(map: AffineMap, extents: Sequence[AnySize]) -> list[AnySize]:
    """The sizes that a map gives.

    Raises:
        Unconvertible: a number that may be negative is divided.
    """
    return [_size(each, extents) for each in map.results]


def _size(expression: AffineExpr, extents: Sequence[AnySize]) -> AnySize:
    if isinstance(expression, AffineConstantExpr):
        return expression.value
    if isinstance(expression, AffineSymExpr):
        return extents[expression.position]
    assert isinstance(expression, AffineBinaryOpExpr)
    a, b = _size(expression.lhs, extents), _size(expression.rhs, extents)
    if expression.kind is AffineBinaryOpKind.Add:
        return a + b
    if expression.kind is AffineBinaryOpKind.Mul:
        return a * b
    assert isinstance(b, int)
    try:
        quotient = a // b
    except ValueError:
        raise Unconvertible(f"it divides {in_symbols(a)}, which may be negative") from None
    return quotient if expression.kind is AffineBinaryOpKind.FloorDiv else a - quotient * b


def chosen(name: str, value: Any, extents: Sequence[AnySize], takes: bool) -> Any:
    """An argument of a call as its pattern gets it.

    Raises:
        Unconvertible: it depends on extents of the call, and the pattern takes known numbers alone.
    """
    if not isinstance(value, AffineMap):
        return value
    sizes = sizes_in(value, extents)
    if not takes:
        shown = ", ".join(map(in_symbols, sizes))
        raise Unconvertible(f"its argument '{name}' is {shown}, which is known at the call only; required: a number")
    return sizes[0] if len(sizes) == 1 else sizes


def require_said(b: GraphBuilder, value: SSAValue, said: Sequence[AnySize], shape: Sequence[int]) -> None:
    """A result has the shape that torch says, for all extents of the call.

    Raises:
        Unconvertible: it has not, or that is not proved.
    """
    found = [b.axis_size(value, axis) for axis in range(len(shape))]
    if found != list(said):
        shown = "x".join("?" if size is None else in_symbols(size) for size in found)
        wanted = "x".join(map(in_symbols, said))
        raise Unconvertible(f"its result is {shown}, and torch says {wanted}, for extents that are known at the call")
