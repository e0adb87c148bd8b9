"""What graph ops make of sizes that are known at the call, as models compute with shapes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType, f32, f64, i1
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.moves import MoveOp
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.sizes import AnySize, SizeArray, SymbolicSize, bounds, larger, smaller
from mlc.reference.folding import computed
from mlc.support.dtypes import to_numpy

_MOST = 64
"""As many numbers describe a shape at most."""
_MOST_IN_F32 = 1 << 24
"""The largest integer up to which f32 has all of them."""
_REDUCED: Mapping[str, Callable[..., Any]] = {
    "sum": operator.add,
    "prod": operator.mul,
    "min": smaller,
    "max": larger,
}


class _Undecided(Exception):
    """A result depends on extents in another way than as a polynomial."""


def sizes_of(
    op: graph.GraphOp, sizes: Sequence[SizeArray | None], known: Sequence[NDArray[Any] | None]
) -> SizeArray | None:
    """What an op makes of its operands, `sizes` that follow from extents and `known` constants; None if that is not a
    polynomial of extents, or if it does not depend on them."""
    is_small_and = isinstance(op, graph.AndOp) and prod(shape_of(op.result)) <= _MOST  # large arrays are not looked at
    if is_small_and and any(a is not None and a.size and not a.any() for a in known):
        return _array([0] * prod(shape_of(op.results[0])), shape_of(op.results[0]))
    if all(each is None for each in sizes):
        return None
    arrays = [
        as_sizes(a) if s is None and a is not None and a.size <= _MOST else s for s, a in zip(sizes, known, strict=True)
    ]
    operands = [a for a in arrays if a is not None]
    return _sizes_of(op, operands) if len(operands) == len(arrays) else None


def _sizes_of(op: graph.GraphOp, operands: Sequence[SizeArray]) -> SizeArray | None:
    element: Attribute = element_of(op.results[0])
    is_integer = isinstance(element, IntegerType)
    if len(op.results) != 1 or any(a.size > _MOST for a in operands):
        return None
    if not is_integer and not (isinstance(op, graph.CastOp | MoveOp) and element in (f32, f64)):
        return None
    try:
        found = _result(op, operands)
    except (_Undecided, ValueError):
        return None
    if found is None or found.size > _MOST or element == i1:
        return found
    # Floats hold these integers as they are.
    least, most = _limits(op.results[0]) if is_integer else (-_MOST_IN_F32, _MOST_IN_F32)
    fits = all(least <= low and high <= most for low, high in map(bounds, found.flat))
    return found if fits else None


def _limits(value: SSAValue) -> tuple[int, int]:
    limits = np.iinfo(to_numpy(element_of(value)))
    return int(limits.min), int(limits.max)


def _result(op: graph.GraphOp, operands: Sequence[SizeArray]) -> SizeArray | None:
    if isinstance(op, graph.CompareOp):
        predicate = op.predicate.data.value
        return _elementwise(partial(_compared, predicate), operands)
    if isinstance(op, graph.CastOp):
        return _elementwise(partial(_compared, "ne", b=0), operands) if element_of(op.result) == i1 else operands[0]
    if isinstance(op, graph.WhereOp):
        return _elementwise(_chosen, operands)
    if isinstance(op, graph.ReduceOp):
        kind = op.kind.data.value
        if kind not in _REDUCED or operands[0].ndim != 1 or not operands[0].size:
            return None
        total = operands[0].flat[0]
        for each in operands[0].flat[1:]:
            total = _REDUCED[kind](total, each)
        return _array([total], cast(Any, op.result.type).get_shape())
    if (rule := _ARITHMETIC.get(type(op))) is not None:
        return _elementwise(rule, operands)
    if isinstance(op, graph.GatherOp):
        if any(isinstance(index, SymbolicSize) for index in operands[1].flat):
            return None
        return _moved(op, operands[:1], [operands[1].astype(to_numpy(element_of(op.operands[1])))])
    return _moved(op, operands, []) if isinstance(op, MoveOp | graph.ConcatOp) else None


def _moved(op: graph.GraphOp, operands: Sequence[SizeArray], others: Sequence[NDArray[Any]]) -> SizeArray:
    """The elements of `operands` where the op puts them: what it does with their numbers says where."""
    table = [each for array in operands for each in array.flat]
    starts = np.cumsum([0, *(array.size for array in operands)])
    dtype: np.dtype[Any] = to_numpy(element_of(op.operands[0]))
    numbered: list[NDArray[Any]] = [
        np.arange(start, start + array.size, dtype=dtype).reshape(array.shape)
        for start, array in zip(starts, operands, strict=False)
    ]
    places = computed(op, [*numbered, *others])
    return _array([table[int(place)] for place in places.flat], places.shape)


def _elementwise(rule: Callable[..., Any], operands: Sequence[SizeArray]) -> SizeArray:
    arrays = np.broadcast_arrays(*operands)
    return _array([rule(*each) for each in zip(*(a.flat for a in arrays), strict=True)], arrays[0].shape)


def _array(numbers: Sequence[Any], shape: Sequence[int]) -> SizeArray:
    found = np.empty(len(numbers), object)
    found[:] = numbers
    return found.reshape(tuple(shape))


def as_sizes(array: NDArray[Any]) -> SizeArray:
    """Integers as Python has them, and sizes as they are."""
    return _array([each if isinstance(each, SymbolicSize) else int(each) for each in array.flat], array.shape)


def _divided(a: AnySize, b: AnySize) -> AnySize:
    if isinstance(b, SymbolicSize):
        if a == b and bounds(b)[0] > 0:
            return 1
        raise _Undecided
    if isinstance(a, SymbolicSize):
        return a // b
    if b == 0:
        raise _Undecided
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _chosen(condition: AnySize, on_true: AnySize, on_false: AnySize) -> AnySize:
    if on_true == on_false:
        return on_true
    low, high = bounds(condition)
    if low > 0 or high < 0:
        return on_true
    if low == high == 0:
        return on_false
    raise _Undecided


def _compared(predicate: str, a: AnySize, b: AnySize) -> int:
    """1 or 0. Raises: _Undecided if it is not the same for all extents."""
    low, high = bounds(a - b)
    always = {"lt": high < 0, "le": high <= 0, "gt": low > 0, "ge": low >= 0, "eq": low == high == 0}
    never = {"lt": low >= 0, "le": low > 0, "gt": high <= 0, "ge": high < 0, "eq": low > 0 or high < 0}
    always["ne"], never["ne"] = never["eq"], always["eq"]
    if always[predicate] or never[predicate]:
        return int(always[predicate])
    raise _Undecided


def _remainder(a: AnySize, b: AnySize) -> AnySize:
    """Of numbers that are not negative, for which all kinds of divisions are the same."""
    if bounds(a)[0] < 0 or bounds(b)[0] <= 0:
        raise _Undecided
    return a - _divided(a, b) * b


def _sign(a: AnySize) -> int:
    return _compared("gt", a, 0) - _compared("lt", a, 0)


_ARITHMETIC: Mapping[type[Operation], Callable[..., Any]] = {
    graph.AddOp: operator.add,
    graph.SubOp: operator.sub,
    graph.MulOp: operator.mul,
    graph.NegOp: operator.neg,
    graph.DivOp: _divided,
    graph.RemOp: _remainder,
    graph.ModOp: _remainder,
    graph.SignOp: _sign,
    graph.MaxOp: larger,
    graph.MinOp: smaller,
}
