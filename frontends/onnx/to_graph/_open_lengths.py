"""How many steps a loop takes, where that is a size: the extents of a call say it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, f32, f64, i32, i64
from xdsl.ir import Block, SSAValue

from mlc.dialects import onnx
from mlc.dialects.onnx.types import TYPES_BY_NUMBER
from mlc.frontends.onnx.to_graph._known_steps import KnownSteps
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.sizes import AnySize, SymbolicSize, bounds

_EXACT = 1 << 24
"""Up to here f32, which exporters compare counters in, has all integers."""
_SAME = (onnx.op("Cast"), onnx.op("Identity"), onnx.op("Squeeze"), onnx.op("Unsqueeze"))
_ORDERS = {"Less": (0, 0), "LessOrEqual": (0, 1), "Greater": (1, 0), "GreaterOrEqual": (1, 1)}
"""By comparison which operand counts, and how much more than the other operand it may not be."""


def length_of(
    b: GraphBuilder,
    source: Block,
    limit: SSAValue | None,
    initial: Sequence[SSAValue],
    known: Callable[[SSAValue], KnownSteps | None],
) -> SymbolicSize | None:
    """The number of steps of a loop that begins, as a size; None if it is none.

    Either it is the limit, which nothing in the body undercuts, or there is none, and a number that counts up in equal
    steps is compared with a size: `i < n` after each step.

    Args:
        limit: the number of steps at most, an operand of the loop.
        initial: what it carries.
        known: what a value in the body is computed from, if that is known.
    """
    last = source.last_op
    assert last is not None
    condition = last.operands[0]
    if limit is not None:
        size = _size(b, limit)
        steps = known(condition) if isinstance(size, SymbolicSize) else None
        most = bounds(size)[1] if size is not None else 0
        goes_on = most <= 1 or (steps is not None and steps.steps(most) == most)
        return size if isinstance(size, SymbolicSize) and bounds(size)[0] >= 0 and goes_on else None
    op = condition.owner
    for name, (counting, more) in _ORDERS.items():
        if not isinstance(op, onnx.op(name)):
            continue
        end, counter = _end(b, source, initial, op.operands[1 - counting]), known(op.operands[counting])
        if isinstance(end, SymbolicSize) and counter is not None and bounds(end)[1] < _EXACT:
            return _count(counter, end + more)
    return None


def _count(counter: KnownSteps, end: AnySize) -> SymbolicSize | None:
    """How many steps there are until a counter, which is compared after each, is `end` or more."""
    two = counter.rows(2)
    if two is None or two.size != 2 or not np.isfinite(two).all():
        return None
    first, step = int(two.flat[0]), int(two.flat[1] - two.flat[0])
    ahead = end - first + (step - 1)
    if step < 1 or bounds(ahead)[0] < 0:
        return None
    length = ahead // step + 1
    rows = counter.rows(bounds(length)[1])
    if rows is None or not np.array_equal(rows.reshape(-1), first + step * np.arange(len(rows))):
        return None
    return length if isinstance(length, SymbolicSize) else None


def _end(b: GraphBuilder, source: Block, initial: Sequence[SSAValue], value: SSAValue) -> AnySize | None:
    """The size that a value of the body holds in all steps: of what is around it, or of what it carries unchanged."""
    while (op := value.owner) is not source and isinstance(op, _SAME) and op.parent is source:
        to = op.attributes.get("to")
        if isinstance(to, IntegerAttr) and TYPES_BY_NUMBER.get(to.value.data) not in (i32, i64, f32, f64):
            return None
        value = op.operands[0]
    if value.owner is not source:
        return _size(b, value)
    last, place = source.last_op, list(source.args).index(value) - 2  # type: ignore[arg-type]
    assert last is not None
    return _size(b, initial[place]) if place >= 0 and last.operands[1 + place] is value else None


def _size(b: GraphBuilder, value: SSAValue) -> AnySize | None:
    """The size that a value of one element holds."""
    sizes = b.knowledge.sizes.get(value)
    return sizes.flat[0] if sizes is not None and sizes.size == 1 else None
