"""`tensor.tile_map` becomes a nest over its dims, with the body written out, and one more where tiles end early."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.loop import ForOp, LoadOp, LoopKind, StoreOp, YieldOp
from mlc.dialects.tensor import StructuredOp, TileMapOp, is_identity
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.tensor_to_loop._functions import destination
from mlc.passes.tensor_to_loop._padding import border, padded_in_place, shifted
from mlc.support.ir import inlined
from mlc.support.types import tensor_type


@lowers("convert-tensor-to-loop", TileMapOp)
class TileMapToNests(StatelessPattern):
    """for y, for x { loads; the body; elementwise ops after it, for each number; stores }

    Elementwise ops over the points of the result are computed here, before the only store, as those after a
    reduction are. Tiles that go beyond the result have nests of their own, without the stores that would be outside.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, TileMapOp)
        following = _maps_behind(op)
        last = following[-1].result if following else op.result
        shape = tensor_type(last).get_shape()
        padding = padded_in_place(last)
        target = destination(rewriter, last if padding is None else padding.result)
        shift = None if padding is None else shifted(padding.static_low.get_values())
        nests: list[Operation] = [] if padding is None else border(padding, target)
        for ranges, places in _boxes(op, shape):
            nests += _nest(op, ranges, places, following, target, shift)
        if padding is not None:
            rewriter.replace(padding, [], [target])
        if following:
            rewriter.replace(following[-1], [], [target])
            for each in reversed(following[:-1]):
                rewriter.erase(each)
            rewriter.insert(nests)
            rewriter.erase(op)
        else:
            rewriter.replace(op, nests, [target])


def _maps_behind(op: TileMapOp) -> list[StructuredOp]:
    """The maps that alone read the result and each other, point by point, and otherwise what is known before `op`."""
    shape = tuple(tensor_type(op.result).get_shape())
    behind: list[StructuredOp] = []
    inside: set[SSAValue] = {op.result}
    earlier = _values_before(op)
    current = op.next_op
    while current is not None and isinstance(current, StructuredOp):
        reads = list(zip(current.inputs, current.index_maps, strict=True))
        if (
            current.reduction is not None
            or current.dim_sizes != shape
            or not any(v in inside for v, _ in reads)
            or not all(is_identity(m, len(shape)) if v in inside else v in earlier for v, m in reads)
        ):
            break
        behind.append(current)
        inside.add(current.result)
        current = current.next_op
    while behind and not _only_last_is_read(op, behind):
        behind.pop()
    return behind


def _values_before(op: Operation) -> set[SSAValue]:
    block = op.parent
    assert isinstance(block, Block)
    values: set[SSAValue] = set(block.args)
    current = op.prev_op
    while current is not None:
        values.update(current.results)
        current = current.prev_op
    return values


def _only_last_is_read(op: TileMapOp, behind: Sequence[StructuredOp]) -> bool:
    members = set[Operation](behind)
    values = [op.result, *(each.result for each in behind[:-1])]
    return all(use.operation in members for value in values for use in value.uses)


_Place = tuple[int, tuple[AffineExpr, ...]]
"""The number of what the body yields, and where it goes."""


def _boxes(op: TileMapOp, shape: Sequence[int]) -> list[tuple[list[range], list[_Place]]]:
    """Ranges of the dims in which the same places are inside of the result, and these places."""
    terms = [op.place_terms(place.data) for place in op.places]
    cuts: list[list[range]] = []
    for dim, size in enumerate(op.dim_sizes):
        ends = {size}
        for place in terms:
            for (used, factor, offset), extent in zip(place, shape, strict=True):
                if used == dim:
                    ends.add(min(size, max(0, -(-(extent - offset) // factor))))
        points = sorted({0, *ends})
        cuts.append([range(a, b) for a, b in pairwise(points)])
    found: list[tuple[list[range], list[_Place]]] = []
    for ranges in product(*cuts):
        inside = [
            (number, place.data.results)
            for number, place in enumerate(op.places)
            if all(
                (offset if dim is None else ranges[dim].start * factor + offset) < extent
                for (dim, factor, offset), extent in zip(terms[number], shape, strict=True)
            )
        ]
        if inside:
            found.append((list(ranges), inside))
    return found


def _nest(
    op: TileMapOp,
    ranges: Sequence[range],
    places: Sequence[_Place],
    following: Sequence[StructuredOp],
    target: SSAValue,
    shift: AffineMap | None,
) -> list[Operation]:
    """Loops over `ranges` around what computes and stores the numbers of `places`."""
    loops = [
        ForOp(name, each.start, each.stop, kind=LoopKind.PARALLEL)
        for name, each in zip(op.dim_names, ranges, strict=True)
    ]
    counters = [loop.induction_variable for loop in loops]
    loads = [_load(v, m.data.results, counters) for v, m in zip(op.inputs, op.maps, strict=True)]
    body, values = inlined(op.body.block, [load.result for load in loads])
    ops: list[Operation] = [*loads, *body]
    for number, where in places:
        value = values[number]
        computed: dict[SSAValue, SSAValue] = {op.result: value}
        for each in following:
            operands: list[SSAValue] = []
            for operand, affine in zip(each.inputs, each.index_maps, strict=True):
                if operand not in computed:
                    subscripts = [e.replace_dims_and_symbols(where, []) for e in affine.results]
                    load = _load(operand, subscripts, counters)
                    ops.append(load)
                    operands.append(load.result)
                else:
                    operands.append(computed[operand])
            point, value = each.emit_point(operands)
            ops += point
            computed[each.result] = value
        stored = AffineMap(len(counters), 0, tuple(where))
        used, stored = _used(stored if shift is None else _after(shift, stored), counters)
        ops.append(StoreOp(value, target, used, stored))
    inside: list[Operation] = ops
    for loop in reversed(loops):
        loop.body.block.add_ops([*inside, YieldOp()])
        inside = [loop]
    return inside


def _after(outer: AffineMap, inner: AffineMap) -> AffineMap:
    results = tuple(e.replace_dims_and_symbols(inner.results, []) for e in outer.results)
    return AffineMap(inner.num_dims, 0, results)


def _load(buffer: SSAValue, subscripts: Sequence[AffineExpr], counters: Sequence[SSAValue]) -> LoadOp:
    used, affine = _used(AffineMap(len(counters), 0, tuple(subscripts)), counters)
    return LoadOp(buffer, used, affine)


def _used(affine: AffineMap, counters: Sequence[SSAValue]) -> tuple[list[SSAValue], AffineMap]:
    """The counters that subscripts use, and the subscripts over just these."""
    used = sorted(set[int]().union(*(e.used_dims() for e in affine.results)))
    renumber = [AffineExpr.dimension(used.index(i) if i in used else 0) for i in range(len(counters))]
    results = tuple(e.replace_dims_and_symbols(renumber, []) for e in affine.results)
    return [counters[i] for i in used], AffineMap(len(used), 0, results)
