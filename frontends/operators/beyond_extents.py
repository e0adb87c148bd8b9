"""What lies beyond an extent is not data: numbers that do no harm take its place, or an op that would read it is
refused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.dialects.onnx.nodes import in_words
from mlc.frontends.operators.graph_builder import Extents, GraphBuilder
from mlc.frontends.operators.places import standing_along
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, Quotient, factors_in, in_symbols, symbols_in


def filled(b: GraphBuilder, value: SSAValue, number: float, axes: Sequence[int] | None = None) -> SSAValue:
    """The value with a number in place of what lies beyond the actual extents of these axes, by default of all.

    These dims of the result are as long as its shape says.
    """
    bounded = dict(b.knowledge.extents.get(value, {}))
    for axis in [a for a in bounded if axes is None or a in axes]:
        extent = bounded.pop(axis)
        places = standing_along(np.arange(shape_of(value)[axis]), axis, len(shape_of(value)))
        inside = b.compare("lt", b.constant(places, i64), extent)
        b.knowledge.extents[inside] = {axis: extent}
        value = b.where(inside, value, b.number(number, value))
        b.knowledge.extents[value] = dict(bounded)
    return value


def refusal_of(op: Operation, extents: Sequence[Extents], b: GraphBuilder) -> Unconvertible:
    """The error for an op that takes what lies beyond an extent of an operand for data."""
    value, axis, extent = next((v, a, e[a]) for v, e in zip(op.operands, extents, strict=True) for a in e)
    cause = b.knowledge.cause_of(extent)
    return Unconvertible(
        f"the extent of dim {axis} of an operand, {in_words(value.type)} at most, {cause}, and mlc has no form of this "
        "operator that leaves out what lies after it; let the model end before this node"
    )


def differing(axis: int, sizes: Sequence[AnySize | None] = ()) -> Unconvertible:
    """The error for dims that have to be of one extent, and are not known to be; these are their sizes, as far as a
    call says them."""
    known = [size for size in sizes if size is not None and not any(each.is_data for each in symbols_in(size))]
    if len(known) < 2 or len(known) < len(sizes):
        return Unconvertible(
            f"the extent of dim {axis} is known when the model runs in one operand, and is another in the next; "
            "required: one extent, or 1"
        )
    steps = "; where they are equal for multiples of a number, give a range with steps, as 32..512by32"
    is_divided = any(isinstance(factor, Quotient) for size in known for factor in factors_in(size))
    return Unconvertible(
        f"dim {axis} of its operands has extents of {' and '.join(map(in_symbols, known))}; required: one, or 1"
        f"{steps if is_divided else ''}"
    )
