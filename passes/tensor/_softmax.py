"""What is known of the values of a softmax, proved from the ops that compute them, wherever these come from.

    g[i] = max over k of x[i, k]        e[i, k] = exp(x[i, k] - g[i])        t[i] = sum over k of e[i, k]

Then `e` is between 0 and 1, and `t` between 1 and the number of its terms: one of them is exp(0). (Or they are NaN.)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects.tensor import MapOp, ReduceOp
from mlc.support.linear import simplify


def is_at_most_one(value: SSAValue) -> bool:
    """Whether `value` is e: exponentials of what the greatest of its row was subtracted from."""
    return isinstance(e := value.owner, MapOp) and _shifted_exponential(e) is not None


def is_at_least_one(value: SSAValue) -> bool:
    """Whether `value` is t: the sum of all of such exponentials of a row."""
    t = value.owner
    if not isinstance(t, ReduceOp) or t.reduction != "add" or not t.passes_through:
        return False
    if not isinstance(e := t.inputs[0].owner, MapOp) or (operands := _shifted_exponential(e)) is None:
        return False
    # For each of its terms, t goes by way of e to elements of x and g: these have to be all of a row that g looked at.
    x, g = ([_through(s, t.index_maps[0].results) for s in e.index_maps[i].results] for i in operands)
    row = _follow(_maximum(e, operands[1]), g, x, t.dim_sizes)
    summed = range(t.num_parallel, len(t.dims))
    return row is not None and sorted(row) == list(summed) and _sizes_agree(_maximum(e, operands[1]), row, t.dim_sizes)


def inverted(value: SSAValue) -> SSAValue | None:
    """What `value` is the inverse of, point by point; None if it is something else."""
    owner = value.owner
    if not isinstance(owner, MapOp) or len(owner.inputs) != 1 or not isinstance(owner.yielded.owner, arith.DivfOp):
        return None
    dividend, divisor = owner.yielded.owner.operands
    if divisor is not owner.body.block.args[0] or not isinstance(one := dividend.owner, arith.ConstantOp):
        return None
    return owner.inputs[0] if isinstance(one.value, FloatAttr) and one.value.value.data == 1 else None


def _shifted_exponential(e: MapOp) -> tuple[int, int] | None:
    """The operands x and g of exp(x - g), if g is the maximum over elements of x that x itself is one of."""
    exp = e.yielded.owner
    difference = exp.operands[0].owner if isinstance(exp, math.ExpOp) else None
    if not isinstance(difference, arith.SubfOp):
        return None
    arguments = [a for a in difference.operands if isinstance(a, BlockArgument) and a.block is e.body.block]
    if len(arguments) != 2:
        return None
    x, g = (a.index for a in arguments)
    greatest = e.inputs[g].owner
    if not isinstance(greatest, ReduceOp) or greatest.reduction not in ("max", "maxnum") or not greatest.passes_through:
        return None
    if greatest.inputs[0] is not e.inputs[x]:
        return None
    row = _follow(greatest, e.index_maps[g].results, e.index_maps[x].results, e.dim_sizes)
    return None if row is None else (x, g)


def _maximum(e: MapOp, operand: int) -> ReduceOp:
    owner = e.inputs[operand].owner
    assert isinstance(owner, ReduceOp)
    return owner


def _follow(
    op: ReduceOp, point: Sequence[AffineExpr], element: Sequence[AffineExpr], sizes: Sequence[int]
) -> tuple[int, ...] | None:
    """The dims that the `reduce` dims of `op` have to follow for it to read `element` where its result is `point`.

    Both are subscripts over dims of these `sizes`. None if it reads something else, or is not seen to read that.
    """
    reduced = op.dim_sizes[op.num_parallel :]
    free = [d for d in range(len(sizes)) if not any(d in e.used_dims() for e in point)]
    wanted = [simplify(e, sizes) for e in element]
    for row in permutations(free, len(reduced)):
        at = [*point, *(AffineExpr.dimension(d) for d in row)]
        if all(sizes[d] <= size for d, size in zip(row, reduced, strict=True)) and wanted == [
            simplify(_through(e, at), sizes) for e in op.index_maps[0].results
        ]:
            return row
    return None


def _sizes_agree(op: ReduceOp, row: Sequence[int], sizes: Sequence[int]) -> bool:
    return list(op.dim_sizes[op.num_parallel :]) == [sizes[d] for d in row]


def _through(expr: AffineExpr, dims: Sequence[AffineExpr]) -> AffineExpr:
    return expr.replace_dims_and_symbols(list(dims), [])
