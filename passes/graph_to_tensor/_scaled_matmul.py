"""Products with short weights: sums of groups, and a sum of these, each times its scale."""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder, d, every
from mlc.passes.graph_to_tensor._casts import converted
from mlc.passes.graph_to_tensor._elementwise import scalar_number
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._points import Points


@lowers("convert-graph-to-tensor", graph.ScaledMatmulOp)
class ScaledMatmulToContract(ToTensor):
    """A contraction of each group, less the zero points, is the first factor of another one; of one group, a product.

    Of one group, the dim of groups is left out.
    """

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.ScaledMatmulOp)
        (m, n), groups = shape_of(op.result), op.groups
        is_one = groups == 1
        over = [("m", m), *([] if is_one else [("g", groups)]), ("n", n)]
        column, last = d(len(over) - 1), d(len(over))
        row = last if is_one else d(1) * op.group + last
        group = [] if is_one else [d(1)]
        element = f32 if op.lhs_scale is None else i32
        sums = b.contract((op.lhs, [d(0), row]), (op.rhs, [row, column]), over, [("k", op.group)], element=element)
        by_row, by_column = (m,) if is_one else (m, groups), (n,) if is_one else (groups, n)
        places: list[tuple[SSAValue, list[AffineExpr]]] = []
        known: int | float | None = None
        if op.lhs_scale is not None:
            places.append((b.reshape(op.lhs_scale, by_row), [d(0), *group]))
        if op.less:
            zero, totals = op.less
            places.append((b.reshape(totals, by_row), [d(0), *group]))
            if (known := scalar_number(zero)) is None:
                places.append((b.reshape(zero, by_column), [*group, column]))
        if places:

            def corrected(p: Points, x: SSAValue, *others: SSAValue) -> SSAValue:
                scale, total = (None, *others)[:2] if op.lhs_scale is None else (*others, None)[:2]
                zero = None if total is None else p.number(known, f32) if known is not None else others[-1]
                return _corrected(p, x, scale, total, zero)

            sums = b.map([(sums, every(len(over))), *places], over, f32, corrected)
        if is_one:
            scale = b.reshape(op.scale, (n,))
            return b.map([(sums, every(2)), (scale, [column])], over, f32, _product)
        return b.contract((sums, [d(0), d(2), d(1)]), (op.scale, [d(2), d(1)]), [over[0], over[2]], [over[1]])


def _corrected(
    p: Points, x: SSAValue, scale: SSAValue | None, total: SSAValue | None, zero: SSAValue | None
) -> SSAValue:
    """A sum times a scale, if that is given, less the zero point times a sum, if these are."""
    x = converted(p, x, f32)
    if total is None or zero is None:
        return x if scale is None else p.mul(x, scale)
    less = p.mul(converted(p, zero, f32), total)
    return p.sub(x, less) if scale is None else p(math.FmaOp, x, scale, p(arith.NegfOp, less))


def _product(p: Points, x: SSAValue, scale: SSAValue) -> SSAValue:
    return p.mul(x, converted(p, scale, f32))
