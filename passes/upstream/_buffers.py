"""Ops of linalg on buffers, and copies of buffers, as loops, as upstream's `convert-linalg-to-loops` writes them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType, NoneAttr, TensorType, UnrankedMemRefType
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.linalg import LinalgOp
from mlc.dialects.linalg.interface import shape_of
from mlc.dialects.loop import ForOp, LoadOp, LoopKind, StoreOp, YieldOp
from mlc.dialects.loop.control import enclosing_loops
from mlc.dialects.memref import CopyOp
from mlc.dialects.tensor.dim_names import dim_names
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.upstream._subscripts import TO_LOOP
from mlc.support.ir import clone
from mlc.support.locations import error_at
from mlc.support.types import memref_type


@lowers(TO_LOOP, LinalgOp)
class LinalgToLoops(StatelessPattern):
    """A loop for each dim, in their order, around the body: what is there before is loaded where it is used.

        linalg.matmul ins(%x, %w : …) outs(%y : memref<64x200xf32>)
    ->
        loop.for parallel "m" … { loop.for parallel "n" … { loop.for serial "k" … {
          … %s = loop.load %y[%m, %n] … loop.store %t, %y[%m, %n] } } }
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, LinalgOp)
        sizes = _require_known_buffers(op)
        if 0 in sizes:
            rewriter.erase(op)
            return
        is_parallel = [each is IteratorType.PARALLEL for each in op.iterators]
        kinds = [LoopKind.PARALLEL if each else LoopKind.SERIAL for each in is_parallel]
        names = zip(_names(op, is_parallel), sizes, kinds, strict=True)
        loops = [ForOp(name, 0, size, kind=kind) for name, size, kind in names]
        rewriter.replace(op, _nested(loops, _body(op, [loop.induction_variable for loop in loops])), [])


@lowers(TO_LOOP, CopyOp)
class CopyToLoops(StatelessPattern):
    """`memref.copy %x, %y` -> a loop for each dim around a load and a store."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, CopyOp)
        for value in (op.source, op.destination):
            _require_static(op, value)
        shape = shape_of(op.source.type)
        if 0 in shape:
            rewriter.erase(op)
            return
        loops = [
            ForOp(name, 0, size, kind=LoopKind.PARALLEL)
            for name, size in zip(_names(op, [True] * len(shape)), shape, strict=True)
        ]
        counters = [loop.induction_variable for loop in loops]
        load = LoadOp(op.source, counters)
        rewriter.replace(op, _nested(loops, [load, StoreOp(load.result, op.destination, counters)]), [])


def _nested(loops: Sequence[ForOp], inside: list[Operation]) -> list[Operation]:
    """Loops around ops, the last one innermost."""
    for loop in reversed(loops):
        loop.body.block.add_ops([*inside, YieldOp()])
        inside = [loop]
    return inside


def _require_static(op: Operation, value: SSAValue) -> None:
    """Raises: UserError if an extent of an operand is not known, or it has another layout than row-major."""
    kind: Attribute = value.type
    has_layout = isinstance(kind, MemRefType) and not isinstance(memref_type(value).layout, NoneAttr)
    is_ranked = not isinstance(kind, UnrankedMemRefType)
    if has_layout or not is_ranked or any(extent < 0 for extent in shape_of(value.type)):
        raise error_at(op, f"{op.name}: found {value.type}; required: a static shape and no layout")


def _require_known_buffers(op: LinalgOp) -> list[int]:
    """The extents of all dims.

    Raises:
        UserError: an operand is a tensor, an extent is not known, or a buffer has another layout than row-major.
    """
    for value in (*op.ins, *op.outs):
        if isinstance(kind := value.type, TensorType):
            raise error_at(op, f"{op.name}: found {kind} beside buffers; required: tensors alone, or buffers alone")
        _require_static(op, value)
    sizes = [size for size in op.sizes() if size is not None]
    if len(sizes) < len(op.iterators):
        raise error_at(op, f"{op.name}: no operand says how far dim {op.sizes().index(None)} goes")
    return sizes


def _names(op: Operation, is_parallel: Sequence[bool]) -> list[str]:
    """The usual names of dims, which no loop around has."""
    count = sum(is_parallel)
    over = iter(dim_names(count))
    reduced = iter(["k"] if len(is_parallel) == count + 1 else [f"k{i}" for i in range(len(is_parallel) - count)])
    taken = {loop.dim.data for loop in enclosing_loops(op)}
    return [_fresh(next(over if each else reduced), taken) for each in is_parallel]


def _fresh(hint: str, taken: set[str]) -> str:
    name, number = hint, 0
    while name in taken:
        number += 1
        name = f"{hint}_{number}"
    return name


def _body(op: LinalgOp, counters: Sequence[SSAValue]) -> list[Operation]:
    """What computes a point, from loads to stores."""
    block = op.point
    places = list(zip((*op.ins, *op.outs), op.index_maps, strict=True))
    mapping: dict[SSAValue, SSAValue] = {}
    ops: list[Operation] = []
    for argument, (operand, where) in zip(block.args, places[: len(block.args)], strict=True):
        if not isinstance(operand.type, MemRefType):
            mapping[argument] = operand
        elif argument.uses:
            ops.append(load := LoadOp(operand, *_subscripts(where, counters)))
            mapping[argument] = load.result
    last = block.last_op
    assert last is not None
    for each in block.ops:
        if isinstance(each, IndexOp):
            mapping[each.result] = counters[each.dim.value.data]
        elif each is not last:
            ops.append(clone(each, mapping))
    for value, (operand, where) in zip(last.operands, places[len(op.ins) :], strict=True):
        ops.append(StoreOp(mapping.get(value, value), operand, *_subscripts(where, counters)))
    return ops


def _subscripts(where: AffineMap, counters: Sequence[SSAValue]) -> tuple[list[SSAValue], AffineMap]:
    """The counters that subscripts use, and the map over these."""
    used = sorted(set[int]().union(*(e.used_dims() for e in where.results)))
    places = [AffineExpr.dimension(used.index(i) if i in used else 0) for i in range(where.num_dims)]
    results = tuple(e.replace_dims_and_symbols(places, []) for e in where.results)
    return [counters[i] for i in used], AffineMap(len(used), 0, results)
