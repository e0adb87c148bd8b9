"""Rewriting the subscripts of loads and stores when loops change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.loop import ForOp, LoadOp, PrefetchOp, StoreOp
from mlc.dialects.loop.bounds import ends_of_sum, sum_of_counters
from mlc.dialects.loop.counted import loop_counting
from mlc.support.affine import affine_bounds, simplify_sum, split_constant, split_terms

AccessOp = LoadOp | StoreOp
SubscriptedOp = AccessOp | PrefetchOp
"""What has subscripts."""

CounterValue = tuple[Sequence[SSAValue], AffineExpr]
"""A new value for a loop counter: an expression over these values, which it calls d0, d1, …"""


_FIRST = AffineExpr.dimension(0)


def constant_index(value: int) -> CounterValue:
    """A counter that became a number."""
    return (), AffineExpr.constant(value)


def rewritten_subscripts(
    op: SubscriptedOp, replace: Mapping[SSAValue, CounterValue]
) -> tuple[list[SSAValue], AffineMap]:
    """The index operands and the map of `op` after its counters are replaced; operands are not repeated."""
    places: dict[SSAValue, int] = {}
    substitutes: list[AffineExpr] = []
    for value in op.indices:
        values, expr = replace.get(value) or ((value,), _FIRST)
        dims = [AffineExpr.dimension(places.setdefault(v, len(places))) for v in values]
        substitutes.append(dims[0] if expr is _FIRST else simplify_sum(expr.replace_dims_and_symbols(dims, [])))
    results = tuple(
        substitutes[e.position]
        if isinstance(e, AffineDimExpr)
        else simplify_sum(e.replace_dims_and_symbols(substitutes, []))
        for e in op.map.data.results
    )
    return list(places), AffineMap(len(places), 0, results)


def set_subscripts(op: SubscriptedOp, operands: Sequence[SSAValue], affine: AffineMap) -> None:
    """Give `op` other subscripts, in place."""
    op.operands = [*_beside_subscripts(op), *operands]
    op.properties["map"] = AffineMapAttr(affine)


def _beside_subscripts(op: SubscriptedOp) -> list[SSAValue]:
    """The operands in front of the subscripts."""
    return [op.value, op.memref] if isinstance(op, StoreOp) else [op.memref]


def copied_access(
    op: SubscriptedOp, replace: Mapping[SSAValue, CounterValue], values: dict[SSAValue, SSAValue]
) -> SubscriptedOp:
    """A copy of `op` whose counters are replaced, and then its operands as `values` says, which learns the result."""
    indices, affine = rewritten_subscripts(op, replace)
    new = type(op).create(
        operands=[values.get(v, v) for v in (*_beside_subscripts(op), *indices)],
        result_types=op.result_types,
        properties={**op.properties, "map": AffineMapAttr(affine)},
        attributes=dict(op.attributes),
    )
    new.location = op.location
    for old, result in zip(op.results, new.results, strict=True):
        values[old] = result
        result.name_hint = old.name_hint
    return new


def shift_subscripts(op: AccessOp, by: Sequence[int]) -> None:
    """Add a constant to each subscript of `op`, in place."""
    moved = tuple(simplify_sum(e + at) if at else e for e, at in zip(op.map.data.results, by, strict=True))
    set_subscripts(op, list(op.indices), AffineMap(op.map.data.num_dims, 0, moved))


def shifts_of(affine: AffineMap) -> tuple[int, ...] | None:
    """The constants of subscripts `d0 + c0, d1 + c1, …`; None for other ones."""
    parts = [split_constant(e) for e in affine.results]
    plain = all(terms == AffineExpr.dimension(axis) for axis, (terms, _) in enumerate(parts))
    return tuple(constant for _, constant in parts) if plain else None


def replace_counter(counter: SSAValue, new: CounterValue) -> None:
    """Replace every use of a loop counter: in subscripts by `new` itself, elsewhere by ops that compute it."""
    elsewhere: list[tuple[Operation, int]] = []
    for use in list(counter.uses):
        op = use.operation
        if isinstance(op, SubscriptedOp):
            if counter in op.indices:
                set_subscripts(op, *rewritten_subscripts(op, {counter: new}))
        else:
            elsewhere.append((op, use.index))
    for op, position in elsewhere:
        ops, value = materialize(new)
        Rewriter.insert_op(ops, InsertPoint.before(op))
        op.operands[position] = value


def loop_of(counter: SSAValue) -> ForOp | None:
    """The loop that a value counts; None if it is not a loop counter."""
    loop = loop_counting(counter)
    return loop if isinstance(loop, ForOp) else None


def counter_bounds(expr: AffineExpr, counters: Sequence[SSAValue]) -> tuple[int, int]:
    """The least and the greatest value of an expression of these loop counters, in all iterations together.

    Raises:
        ValueError: one of them is not a loop counter.
    """
    loops = [loop_of(counter) for counter in counters]
    if (total := sum_of_counters(expr, counters)) is not None and (ends := ends_of_sum(*total)) is not None:
        return ends
    ranges = [loop.range for loop in loops if loop is not None]
    if len(ranges) < len(loops):
        raise ValueError("an index is not a loop counter")
    shifted = [AffineExpr.dimension(i) + r.start for i, r in enumerate(ranges)]
    return affine_bounds(expr.replace_dims_and_symbols(shifted, []), [r[-1] - r.start + 1 for r in ranges])


def simplify_quotients(op: AccessOp) -> None:
    """Leave out of the quotients in subscripts what cannot change them.

    `(n + i) floordiv 8` is `n floordiv 8` for i < 8 and n a multiple of 8.
    """
    results = op.map.data.results
    simpler = [_simplify_quotients(e, op.indices) for e in results]
    if simpler == list(results):
        return
    used = sorted(set[int]().union(*(e.used_dims() for e in simpler)))
    renumbered = [AffineExpr.dimension(used.index(i) if i in used else 0) for i in range(len(op.indices))]
    final = tuple(e.replace_dims_and_symbols(renumbered, []) for e in simpler)
    set_subscripts(op, [op.indices[i] for i in used], AffineMap(len(used), 0, final))


def _simplify_quotients(expr: AffineExpr, counters: Sequence[SSAValue]) -> AffineExpr:
    if not isinstance(expr, AffineBinaryOpExpr):
        return expr
    lhs, rhs = (_simplify_quotients(e, counters) for e in (expr.lhs, expr.rhs))
    if expr.kind is AffineBinaryOpKind.FloorDiv and isinstance(rhs, AffineConstantExpr):
        lhs = _without_remainder(lhs, rhs.value, counters)
    return AffineBinaryOpExpr(expr.kind, lhs, rhs)


def _without_remainder(expr: AffineExpr, divisor: int, counters: Sequence[SSAValue]) -> AffineExpr:
    """`expr` without the terms that never reach the next multiple of `divisor`, counted from the other terms."""
    terms = {dim: factor for dim, factor in split_terms(expr).items() if factor}
    if any(loop_of(v) is None for v in counters):
        return expr
    grains = {dim: _grain(counters[dim], factor) for dim, factor in terms.items()}
    for grain in sorted(set(grains.values()), reverse=True):
        rest = [dim for dim, own in grains.items() if own % grain]
        kept = [AffineExpr.constant(0) if i in rest else AffineExpr.dimension(i) for i in range(len(counters))]
        left = [AffineExpr.dimension(i) if i in rest else AffineExpr.constant(0) for i in range(len(counters))]
        if rest and divisor % grain == 0:
            low, high = counter_bounds(expr.replace_dims_and_symbols(left, []), counters)
            if low >= 0 and high < grain:
                return simplify_sum(expr.replace_dims_and_symbols(kept, []))
    return expr


def _grain(counter: SSAValue, factor: int) -> int:
    """What all values of a counter, times a factor, are multiples of."""
    loop = loop_of(counter)
    assert loop is not None
    step = loop.step.value.data if len(loop.range) > 1 else 0
    return gcd(loop.range.start, step) * abs(factor) or 1 << 62


def materialize(index: CounterValue) -> tuple[list[Operation], SSAValue]:
    """Ops that compute a sum of counters and a constant, for users other than subscripts."""
    values, expr = index
    terms, constant = split_constant(expr)
    ops: list[Operation] = []
    total: SSAValue | None = None
    if terms is not None:
        for value in values:
            if total is None:
                total = value
            else:
                add = arith.AddiOp(total, value)
                ops.append(add)
                total = add.result
    if constant or total is None:
        number = arith.ConstantOp(IntegerAttr(constant, IndexType()))
        ops.append(number)
        if total is None:
            total = number.result
        else:
            add = arith.AddiOp(total, number.result)
            ops.append(add)
            total = add.result
    return ops, total
