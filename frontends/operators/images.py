"""Windows over images of one to three spatial dims, channels first: what patterns of all sources write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.open_shapes import all_along, counted, depends_on_call, expanded, reshaped, shape_sizes
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, larger
from mlc.support.dtypes import least_of

_BY_RANK: dict[type[graph.GraphOp], dict[int, type[graph.GraphOp]]] = {
    graph.ConvOp: {4: graph.Conv2dOp, 5: graph.Conv3dOp},
    graph.ConvTransposeOp: {4: graph.ConvTranspose2dOp, 5: graph.ConvTranspose3dOp},
    graph.MaxPoolOp: {4: graph.MaxPool2dOp, 5: graph.MaxPool3dOp},
    graph.ArgMaxPoolOp: {4: graph.ArgMaxPool2dOp, 5: graph.ArgMaxPool3dOp},
    graph.AvgPoolOp: {4: graph.AvgPool2dOp, 5: graph.AvgPool3dOp},
}
"""The ops of a family, by the ranks of images; a line is an image of one row."""


def slide(b: GraphBuilder, family: type[graph.GraphOp], operands: Sequence[SSAValue], **options: Any) -> SSAValue:
    """An op of a family on images of any rank. Options that are lists have one or two numbers per spatial dim."""
    rank = len(shape_of(operands[0]))
    if rank not in (3, 4, 5):
        raise Unconvertible(f"images of {rank - 2} dims; mlc knows those of 1, 2 and 3")
    if rank > 3:
        return b(_BY_RANK[family][rank], *operands, **options)
    images = [b.reshape(v, (*shape_of(v)[:2], 1, shape_of(v)[2])) for v in operands]
    of_rows = {name: _of_rows(name, value) for name, value in options.items()}
    result = b(_BY_RANK[family][4], *images, **of_rows)
    shape = shape_of(result)
    return b.reshape(result, (*shape[:2], shape[3]))


def _of_rows(name: str, value: Any) -> Any:
    """An option of a line as that of an image of one row."""
    if name in ("padding", "output_padding") and isinstance(value, tuple):
        numbers = cast("tuple[int, ...]", value)
        return (0, *numbers) if len(numbers) == 1 else (0, numbers[0], 0, numbers[1])
    return (1, *cast("tuple[int, ...]", value)) if isinstance(value, tuple) else value


def surround(b: GraphBuilder, x: SSAValue, low: Sequence[int], high: Sequence[int], number: float) -> SSAValue:
    """The last dims padded with a number; the value itself if there is nothing to pad."""
    front = [0] * (len(shape_of(x)) - len(low))
    return b(graph.PadOp, x, [*front, *low], [*front, *high], number) if any((*low, *high)) else x


def lowest(x: SSAValue) -> float:
    """What no element of this type is less than."""
    return least_of(element_of(x))


def tiled(b: GraphBuilder, x: SSAValue, repeats: Sequence[AnySize]) -> SSAValue:
    """So many copies along each dim, one after the other: a broadcast along a dim before it."""
    known = [count for count in repeats if isinstance(count, int)]
    if depends_on_call(b, x) or len(known) < len(repeats):
        for axis, count in enumerate(repeats):
            x = x if count == 1 else _tiled_open(b, x, axis, count)
        return x
    shape = shape_of(x)
    wide = [n for count, extent in zip(known, shape, strict=True) for n in (count, extent)]
    apart = b.reshape(x, [n for extent in shape for n in (1, extent)])
    return b.reshape(b.broadcast(apart, wide), [n * extent for n, extent in zip(known, shape, strict=True)])


def _tiled_open(b: GraphBuilder, x: SSAValue, axis: int, count: AnySize) -> SSAValue:
    """So many copies along a dim: of one that ends early, each element is read where it is."""
    sizes = shape_sizes(b, x)
    whole = sizes[axis] * count
    if not isinstance(sizes[axis], int):
        places = b(graph.RemOp, counted(b, 0, whole, 1, i64), b.extent(larger(sizes[axis], 1)))
        return b(graph.GatherOp, all_along(b, x, [axis]), places, axis)
    wide = expanded(b, b.unsqueeze(x, [axis]), [*sizes[:axis], count, *sizes[axis:]])
    return reshaped(b, wide, [*sizes[:axis], whole, *sizes[axis + 1 :]])
