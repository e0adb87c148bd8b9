"""Reads and writes at places that data says: gather and scatter.

```mlir
%0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}>
    : (tensor<4x8xf32>, tensor<2x1xi32>) -> tensor<2x8xf32>
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.irdl import BaseAttr

from mlc.dialects.stablehlo import rules
from mlc.dialects.stablehlo.attributes import GatherAttr, NamedParts, ScatterAttr
from mlc.dialects.stablehlo.base import BOOL, I64S, HloOp, declare
from mlc.dialects.stablehlo.rules import Shape, element, in_range, is_sorted, is_unique, require, scalar, shape, words


def without(sizes: Sequence[int], *dims: int) -> Shape:
    """The extents of all dims but these."""
    return tuple(n for d, n in enumerate(sizes) if d not in dims)


def _combine(batch: Sequence[int], window: Sequence[int], window_dims: Sequence[int]) -> Shape:
    """Both in one shape: the extents of windows at their dims, the others in order around them."""
    rest, inside = iter(batch), iter(window)
    return tuple(next(inside) if d in window_dims else next(rest) for d in range(len(batch) + len(window)))


def _index_dims(
    op: HloOp, dims: NamedParts, operand: Shape, indices: Shape, names: tuple[str, str, str], numbers: dict[str, int]
) -> None:
    """What gather and scatter require of the dims of their indices, under numbers of their own."""
    batching, index_batching, mapped = (dims.ints(n) for n in names)
    vector = dims.number("index_vector_dim")
    holds = 0 <= vector <= len(indices)
    require(op, numbers["vector"], holds, f"index_vector_dim is {vector}; the indices have {len(indices)} dims")
    count = indices[vector] if vector < len(indices) else 1
    shown = f"{names[2]} is {list(mapped)}"
    require(op, numbers["map_size"], count in (-1, len(mapped)), f"{shown}; an index has {count} parts")
    holds = is_unique((*mapped, *batching))
    require(op, numbers["map_unique"], holds, f"{shown}, {names[0]} is {list(batching)}; each dim may be there once")
    require(op, numbers["map_range"], in_range(mapped, len(operand)), f"{shown}; the operand has {len(operand)} dims")
    require(op, numbers["batch_sorted"], is_sorted(batching), f"{names[0]} is {list(batching)}; it has to ascend")
    require(op, numbers["batch_range"], in_range(batching, len(operand)), f"{names[0]} is {list(batching)}")
    require(op, numbers["index_unique"], is_unique(index_batching), f"{names[1]} is {list(index_batching)}; each once")
    require(op, numbers["index_range"], in_range(index_batching, len(indices)), f"{names[1]} is {list(index_batching)}")
    holds = vector not in index_batching
    require(op, numbers["index_vector"], holds, f"{names[1]} is {list(index_batching)}; that has index_vector_dim")
    holds = len(batching) == len(index_batching)
    require(
        op, numbers["batch_count"], holds, f"{names[0]} and {names[1]} differ: {list(batching)}, {list(index_batching)}"
    )
    ours, theirs = [operand[d] for d in batching], [indices[d] for d in index_batching]
    require(op, numbers["batch_dims"], rules.fits(ours, theirs), f"batching dims have extents {ours} and {theirs}")


def _gather(op: HloOp) -> None:
    """c1 to c23."""
    dims = cast(GatherAttr, op.properties["dimension_numbers"])
    operand, indices, result = shape(op.operands[0]), shape(op.operands[1]), shape(op.results[0])
    offset, collapsed, batching = (
        dims.ints(n) for n in ("offset_dims", "collapsed_slice_dims", "operand_batching_dims")
    )
    rank = len(operand)
    found = len(offset) + len(collapsed) + len(batching)
    require(op, 1, found == rank, f"offset, collapsed and batching dims are {found}; the operand has {rank} dims")
    require(op, 4, is_unique(offset) and is_sorted(offset), f"offset_dims is {list(offset)}; it has to ascend")
    require(op, 5, in_range(offset, len(result)), f"offset_dims is {list(offset)}; the result has {len(result)} dims")
    holds = is_unique((*collapsed, *batching))
    require(
        op, 6, holds, f"collapsed_slice_dims is {list(collapsed)}, operand_batching_dims {list(batching)}; each once"
    )
    require(op, 7, is_sorted(collapsed), f"collapsed_slice_dims is {list(collapsed)}; it has to ascend")
    require(op, 8, in_range(collapsed, rank), f"collapsed_slice_dims is {list(collapsed)}; the operand has {rank} dims")
    _index_dims(
        op,
        dims,
        operand,
        indices,
        ("operand_batching_dims", "start_indices_batching_dims", "start_index_map"),
        {
            "vector": 2, "map_size": 3, "map_unique": 18, "map_range": 19, "batch_sorted": 10, "batch_range": 11,
            "index_unique": 13, "index_range": 14, "index_vector": 15, "batch_count": 16, "batch_dims": 17,
        },
    )  # fmt: skip
    sizes = op.ints("slice_sizes")
    require(op, 20, len(sizes) == rank, f"found {len(sizes)} slice sizes; the operand has {rank} dims")
    require(op, 9, all(sizes[d] <= 1 for d in collapsed), f"slice sizes are {words(sizes)}; collapsed dims have 1")
    require(op, 12, all(sizes[d] <= 1 for d in batching), f"slice sizes are {words(sizes)}; batching dims have 1")
    holds = all(s >= 0 and (n == DYNAMIC_INDEX or s <= n) for s, n in zip(sizes, operand, strict=True))
    require(op, 21, holds, f"slice sizes are {words(sizes)}; the operand is {words(operand)}")
    batch = without(indices, dims.number("index_vector_dim"))
    needed = _combine(batch, without(sizes, *collapsed, *batching), offset)
    require(op, 22, rules.fits(result, needed), f"the result is {words(result)}; it has to be {words(needed)}")
    kinds = element(op.operands[0]), element(op.results[0])
    require(op, 23, kinds[0] == kinds[1], f"operand and result have one element type; found {kinds[0]} and {kinds[1]}")


declare(
    "gather",
    operands="operand start_indices",
    properties={"dimension_numbers": BaseAttr(GatherAttr), "slice_sizes": I64S},
    optional={"indices_are_sorted": BOOL},
    rules=(rules.tensors, _gather),
)


def _scatter(op: HloOp) -> None:
    """c1 to c25."""
    count = len(op.operands) // 2
    holds = count > 0 and len(op.operands) == 2 * count + 1 and len(op.results) == count
    require(
        op, 5, holds, f"found {len(op.operands)} operands and {len(op.results)} results; inputs are as many as updates"
    )
    inputs, index, updates = op.operands[:count], op.operands[count], op.operands[count + 1 :]
    dims = cast(ScatterAttr, op.properties["scatter_dimension_numbers"])
    operand, indices, update = shape(inputs[0]), shape(index), shape(updates[0])
    window, inserted, batching = (
        dims.ints(n) for n in ("update_window_dims", "inserted_window_dims", "input_batching_dims")
    )
    rank = len(operand)
    for number, noun, values, first in ((1, "inputs", inputs, operand), (3, "updates", updates, update)):
        require(op, number, all(rules.fits(shape(v), first) for v in values), f"the {noun} have one shape")
    found = len(window) + len(inserted) + len(batching)
    require(op, 2, found == rank, f"window, inserted and batching dims are {found}; inputs have {rank} dims")
    for ours, theirs in zip(inputs, updates, strict=True):
        require(op, 6, element(ours) == element(theirs), f"an update of {theirs.type} cannot change {ours.type}")
    require(op, 7, is_unique(window) and is_sorted(window), f"update_window_dims is {list(window)}; it has to ascend")
    require(
        op, 8, in_range(window, len(update)), f"update_window_dims is {list(window)}; updates have {len(update)} dims"
    )
    holds = is_unique((*inserted, *batching))
    require(op, 9, holds, f"inserted_window_dims is {list(inserted)}, input_batching_dims {list(batching)}; each once")
    require(op, 10, is_sorted(inserted), f"inserted_window_dims is {list(inserted)}; it has to ascend")
    require(op, 11, in_range(inserted, rank), f"inserted_window_dims is {list(inserted)}; inputs have {rank} dims")
    _index_dims(
        op,
        dims,
        operand,
        indices,
        ("input_batching_dims", "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"),
        {
            "vector": 22, "map_size": 19, "map_unique": 20, "map_range": 21, "batch_sorted": 12, "batch_range": 13,
            "index_unique": 14, "index_range": 15, "index_vector": 16, "batch_count": 17, "batch_dims": 18,
        },
    )  # fmt: skip
    batch = without(indices, dims.number("index_vector_dim"))
    room = without(operand, *inserted, *batching)
    inside = tuple(update[d] for d in window)
    holds = all(a <= b or DYNAMIC_INDEX in (a, b) for a, b in zip(inside, room, strict=True))
    require(op, 4, holds, f"windows of updates are {words(inside)}; inputs have room for {words(room)}")
    needed = _combine(batch, inside, window)
    require(op, 4, rules.fits(update, needed), f"updates are {words(update)}; they have to be {words(needed)}")
    for ours, result in zip(inputs, op.results, strict=True):
        require(
            op, 24, rules.fits(shape(result), shape(ours)), f"the result is {result.type}; the input is {ours.type}"
        )
    scalars = [scalar(v.type) for v in inputs]
    outcomes = [scalar(r.type) for r in op.results]
    rules.region_types(op, 23, op.regions[0], [*scalars, *scalars], outcomes, "update_computation", True)


declare(
    "scatter",
    operands="*values",
    results="*outcomes",
    properties={"scatter_dimension_numbers": BaseAttr(ScatterAttr)},
    optional={"indices_are_sorted": BOOL, "unique_indices": BOOL},
    regions="update_computation",
    rules=(rules.tensors, _scatter),
)
