"""Reading and writing at places which are data, and what combined elements start from."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.support.dtypes import least_of, most_of


def standing_along(numbers: NDArray[Any], axis: int, rank: int) -> NDArray[Any]:
    """Numbers, `[n]`, along an axis of an array of so many dims, of which the others are 1: it broadcasts to them."""
    return numbers.reshape([-1 if each == axis else 1 for each in range(rank)])


def along_axis(b: GraphBuilder, indices: SSAValue, axis: int) -> tuple[SSAValue, list[int], list[int]]:
    """Indices, axes and own axes of a gather or scatter along one axis, each point of which has an index."""
    shape = shape_of(indices)
    return b.reshape(indices, (*shape, 1)), [axis], [a for a in range(len(shape)) if a != axis]


def taken_along(b: GraphBuilder, x: SSAValue, indices: SSAValue, axis: int) -> SSAValue:
    """Elements at indices along one axis, one for each point of the result."""
    return b(graph.GatherNdOp, x, *along_axis(b, indices, axis))


def neutral(kind: str, element: Attribute) -> float:
    """What a reduction or a scatter of a kind, `sum` or `add`, `prod` or `mul`, `max`, `min`, leaves as it is."""
    if kind in ("sum", "add", "prod", "mul"):
        return 0 if kind in ("sum", "add") else 1
    if element == i1:
        return kind == "min"
    return least_of(element) if kind == "max" else most_of(element)
