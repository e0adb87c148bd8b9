"""Which axes of a kernel's tensors, and which dims of its structured ops, can be left out or joined; and doing it."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.tensor import PadOp
from xdsl.ir import Block, SSAValue, Use
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.tensor import StructuredOp
from mlc.dialects.tensor.dim_names import dim_names
from mlc.passes.tensor._views import retyped
from mlc.support.disjoint_sets import DisjointSets
from mlc.support.linear import plain_dim, simplify
from mlc.support.types import tensor_type

Groups = list[list[int]]
"""Runs of axes (or dims) that become one each; what is in no group has extent 1 and is left out."""
_Node = tuple[SSAValue | StructuredOp | None, int]
"""An axis of a value, or a dim of an op; or the pair of it and the next one. The one of None cannot change."""
_FIXED: _Node = (None, 0)


@dataclass
class _Plan:
    """What becomes of the axes of values and of the dims of ops."""

    axes: dict[SSAValue, Groups] = field(default_factory=dict[SSAValue, Groups])
    dims: dict[StructuredOp, Groups] = field(default_factory=dict[StructuredOp, Groups])


def drop_unit_dims(block: Block) -> None:
    """Leave out axes and dims of extent 1, except where an op that is not structured, or is nested, has a say."""
    fixed = DisjointSets[_Node]()
    for value in _tensors(block):
        for axis in range(len(_shape(value))):
            if not _is_free(value):
                fixed.unite(_FIXED, (value, axis))
            for use in value.uses:
                user = use.operation
                if user.parent is not block:
                    fixed.unite(_FIXED, (value, axis))
                elif isinstance(user, PadOp):
                    fixed.unite((value, axis), (user.result, axis))
                    if user.static_low.get_values()[axis] or user.static_high.get_values()[axis]:
                        fixed.unite(_FIXED, (value, axis))
                elif not isinstance(user, StructuredOp | func.ReturnOp):
                    fixed.unite(_FIXED, (value, axis))
    plan = _Plan()
    for value in _tensors(block):
        shape = _shape(value)
        axes = [[a] for a, extent in enumerate(shape) if extent != 1 or fixed.find((value, a)) == fixed.find(_FIXED)]
        # One axis stays: views of rank 0 have no reassociation.
        plan.axes[value] = axes or [[a] for a in range(len(shape))][-1:]
    for op in _structured(block):
        reduce = [[i] for i in range(op.num_parallel, len(op.dims))]
        kept = [group for group in reduce if op.dim_sizes[group[0]] != 1] or reduce[:1]
        plan.dims[op] = plan.axes[op.result] + kept
        sizes = op.dim_sizes
        simple = [[simplify(e, sizes) for e in m.results] for m in op.index_maps]
        op.set_iteration(simple, list(zip(op.dim_names, sizes, strict=True)))
    _apply(block, plan)


def merge_dims(block: Block, ending: Container[str] = ()) -> None:
    """Join adjacent dims that every access uses as adjacent subscripts of full extent, or not at all.

    Those with names in `ending` are not joined to the one around them.
    """
    joined = DisjointSets[_Node]()
    for value in _tensors(block):
        for pair in range(len(_shape(value)) - 1):
            if not _is_free(value):
                joined.unite(_FIXED, (value, pair))
            for use in value.uses:
                for node in _same_pairs(use, value, pair, block):
                    joined.unite(node, (value, pair))
    for op in _structured(block):
        for pair in range(len(op.dims) - 1):
            if op.dim_names[pair + 1] in ending:
                joined.unite(_FIXED, (op, pair))
            if pair + 1 < op.num_parallel:
                joined.unite((op.result, pair), (op, pair))
            elif pair < op.num_parallel:
                joined.unite(_FIXED, (op, pair))
            for value, affine in zip(op.inputs, op.index_maps, strict=True):
                read = _where_read(value, affine.results, pair, op.dim_sizes)
                joined.unite(read or (op, pair), (op, pair))
    # Sets grow from either side, so what is fixed is asked for only now.
    fixed = joined.find(_FIXED)

    def groups(of: SSAValue | StructuredOp, count: int) -> Groups:
        result: Groups = [[0]] if count else []
        for first, second in pairwise(range(count)):
            if joined.find((of, first)) == fixed:
                result.append([second])
            else:
                result[-1].append(second)
        return result

    plan = _Plan()
    for value in _tensors(block):
        plan.axes[value] = groups(value, len(_shape(value)))
    for op in _structured(block):
        plan.dims[op] = groups(op, len(op.dims))
    _apply(block, plan)


def _same_pairs(use: Use, value: SSAValue, pair: int, block: Block) -> Iterator[_Node]:
    """The pairs of dims, or of axes, that have to be joined if a pair of axes of `value` is."""
    op = use.operation
    if op.parent is not block:
        yield _FIXED
    elif isinstance(op, PadOp):
        yield op.result, pair
        if any((*op.static_low.get_values()[pair : pair + 2], *op.static_high.get_values()[pair : pair + 2])):
            yield _FIXED
    elif isinstance(op, StructuredOp):
        yield _read_by(op, use.index, value, pair)
    elif not isinstance(op, func.ReturnOp):
        yield _FIXED


def _read_by(op: StructuredOp, operand: int, value: SSAValue, pair: int) -> _Node:
    """The pair of dims of `op` that runs over a pair of axes of an operand."""
    first, second = (plain_dim(e) for e in op.index_maps[operand].results[pair : pair + 2])
    extents = _shape(value)[pair : pair + 2]
    if first is None or second != first + 1 or tuple(op.dim_sizes[first : first + 2]) != tuple(extents):
        return _FIXED
    return op, first


def _where_read(value: SSAValue, subscripts: Sequence[AffineExpr], pair: int, sizes: Sequence[int]) -> _Node | None:
    """The pair of axes that a pair of dims goes through; None if they do not subscript the operand."""
    users = [axis for axis, e in enumerate(subscripts) if not {pair, pair + 1}.isdisjoint(e.used_dims())]
    if not users:
        return None
    plain = [plain_dim(subscripts[axis]) for axis in users]
    if plain != [pair, pair + 1] or users[1] != users[0] + 1:
        return _FIXED
    if tuple(_shape(value)[users[0] : users[0] + 2]) != tuple(sizes[pair : pair + 2]):
        return _FIXED
    return value, users[0]


def _apply(block: Block, plan: _Plan) -> None:
    """Change types, dims and index maps as planned."""
    ops = list(block.ops)
    for op in ops:
        if isinstance(op, StructuredOp):
            _regroup(op, plan)
    for op in ops:
        if isinstance(op, PadOp) and len(plan.axes[op.result]) < len(_shape(op.result)):
            _regroup_pad(op, plan)
    for value, groups in plan.axes.items():
        if len(groups) < len(_shape(value)) and not isinstance(value.owner, PadOp):
            shape = _shape(value)
            new = retyped([prod(shape[a] for a in group) for group in groups], tensor_type(value))
            Rewriter.replace_value_with_new_type(value, new)


def _regroup(op: StructuredOp, plan: _Plan) -> None:
    """Give `op` the planned dims, and index maps over these. Types of values are still the old ones."""
    names, sizes, parallel, groups = op.dim_names, op.dim_sizes, op.num_parallel, plan.dims[op]
    if len(groups) == len(sizes) and all(len(plan.axes[v]) == len(_shape(v)) for v in op.inputs):
        return
    position = {dim: new for new, group in enumerate(groups) for dim in group}
    renumbered = [
        AffineExpr.dimension(position[d]) if d in position else AffineExpr.constant(0) for d in range(len(sizes))
    ]
    subscripts: list[list[AffineExpr]] = []
    for value, affine in zip(op.inputs, op.index_maps, strict=True):
        axes = [group[0] for group in plan.axes[value]]
        subscripts.append([affine.results[a].replace_dims_and_symbols(renumbered, []) for a in axes])
    over = [g for g in groups if g[0] < parallel]
    reduce = [g for g in groups if g[0] >= parallel]
    new_names = [*_names(over, names, dim_names(len(over))), *_names(reduce, names, ("k",))]
    if len(set(new_names)) < len(new_names):
        new_names = [names[g[-1]] for g in groups]
    new_sizes = [prod(sizes[d] for d in group) for group in groups]
    op.set_iteration(subscripts, list(zip(new_names, new_sizes, strict=True)))


def _names(groups: Groups, old: Sequence[str], usual: Sequence[str]) -> list[str]:
    """Usual names, if dims were joined and there are as many as usual; else each group is named after its last dim."""
    last = [old[g[-1]] for g in groups]
    if all(len(g) == 1 for g in groups) or len(usual) != len(groups):
        return last
    if usual == ("n",):  # what is left may be the rows that something else has columns for
        return [name if name in ("m", "n") else "m" for name in last]
    return list(usual)


def _regroup_pad(op: PadOp, plan: _Plan) -> None:
    """A new op: the region takes one position per axis."""
    groups, shape = plan.axes[op.result], _shape(op.result)
    low, high = ([amounts.get_values()[g[0]] for g in groups] for amounts in (op.static_low, op.static_high))
    region = op.detach_region(op.region)
    for argument in list(region.block.args)[len(groups) :]:
        region.block.erase_arg(argument)
    result = retyped([prod(shape[a] for a in g) for g in groups], tensor_type(op.result))
    new = PadOp(op.source, [], [], region, low, high, result)
    new.location = op.location
    Rewriter.insert_op(new, InsertPoint.before(op))
    new.result.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(new.result)
    Rewriter.erase_op(op)


def _is_free(value: SSAValue) -> bool:
    """Whether what makes `value` can make it in another shape."""
    owner = value.owner
    if isinstance(owner, PadOp):
        return not (owner.low or owner.high or any(a.uses for a in owner.region.block.args))
    return isinstance(owner, Block | StructuredOp)


def _structured(block: Block) -> Iterator[StructuredOp]:
    return (op for op in block.ops if isinstance(op, StructuredOp))


def _tensors(block: Block) -> Iterator[SSAValue]:
    """All tensors of a kernel."""
    yield from (a for a in block.args if isinstance(a.type, TensorType))
    for op in block.ops:
        yield from (r for r in op.results if isinstance(r.type, TensorType))


def _shape(value: SSAValue) -> tuple[int, ...]:
    return tuple(tensor_type(value).get_shape())
