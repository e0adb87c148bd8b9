"""Values of type `index` as affine expressions, and affine expressions as values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import affine, arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, NoneAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from mlc.dialects.loop import LoadOp, StoreOp
from mlc.dialects.loop.bounds import find_outside
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.upstream._points import integer_of
from mlc.support.locations import error_at
from mlc.support.types import memref_type

TO_LOOP = "convert-scf-to-loop"

_COMPUTED: dict[AffineBinaryOpKind, Callable[[SSAValue, SSAValue], Operation]] = {
    AffineBinaryOpKind.Add: arith.AddiOp,
    AffineBinaryOpKind.Mul: arith.MuliOp,
    AffineBinaryOpKind.FloorDiv: arith.FloorDivSIOp,
    AffineBinaryOpKind.CeilDiv: arith.CeilDivSIOp,
}
_SUMS: dict[type[Operation], Callable[[AffineExpr, AffineExpr], AffineExpr]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
}


def index_constant(value: int) -> arith.ConstantOp:
    """A constant of type `index`."""
    return arith.ConstantOp(IntegerAttr(value, IndexType()))


def constant_index(value: SSAValue) -> int | None:
    """The number that a value of type `index` is; None if it is not a constant."""
    return integer_of(value) if isinstance(value.type, IndexType) else None


def evaluated(expr: AffineExpr, dims: int, operands: Sequence[SSAValue], ops: list[Operation]) -> SSAValue:
    """The value of an affine expression; what computes it is appended to `ops`.

    Args:
        dims: how many of the operands are dims; the others are symbols.
    """
    match expr:
        case AffineDimExpr():
            return operands[expr.position]
        case AffineSymExpr():
            return operands[dims + expr.position]
        case AffineConstantExpr():
            ops.append(index_constant(expr.value))
        case AffineBinaryOpExpr():
            left, right = (evaluated(each, dims, operands, ops) for each in (expr.lhs, expr.rhs))
            if expr.kind is AffineBinaryOpKind.Mod:  # never negative, as `remsi` may be
                ops.append(whole := arith.FloorDivSIOp(left, right))
                ops.append(multiple := arith.MuliOp(whole.result, right))
                ops.append(arith.SubiOp(left, multiple.result))
            else:
                ops.append(_COMPUTED[expr.kind](left, right))
        case _:
            raise NotImplementedError(str(expr))
    return ops[-1].results[0]


class IndexExpressions:
    """Affine expressions of values that the index operands of an access are made of."""

    def __init__(self) -> None:
        self.indices: list[SSAValue] = []

    def map_of(self, expressions: Sequence[AffineExpr]) -> AffineMap:
        """The map from `indices` to subscripts."""
        return AffineMap(len(self.indices), 0, tuple(expressions))

    def expression(self, value: SSAValue) -> AffineExpr:
        """A value as a sum of others, as far as sums, products by constants and `affine.apply` go."""
        if (number := constant_index(value)) is not None:
            return AffineExpr.constant(number)
        owner = value.owner
        if isinstance(owner, affine.ApplyOp):
            return self.of_map(owner.map.data.results[0], owner.map.data.num_dims, owner.mapOperands)
        if isinstance(owner, arith.AddiOp | arith.SubiOp):
            return _SUMS[type(owner)](self.expression(owner.lhs), self.expression(owner.rhs))
        if isinstance(owner, arith.MuliOp):
            for factor, other in ((owner.rhs, owner.lhs), (owner.lhs, owner.rhs)):
                if (number := constant_index(factor)) is not None:
                    return self.expression(other) * number
        if value not in self.indices:
            self.indices.append(value)
        return AffineExpr.dimension(self.indices.index(value))

    def of_map(self, expr: AffineExpr, dims: int, operands: Sequence[SSAValue]) -> AffineExpr:
        """The expression of a map, of whose operands the first are dims and the others symbols."""
        given = [self.expression(value) for value in operands]
        return expr.replace_dims_and_symbols(given[:dims], given[dims:])


def _access(
    op: Operation,
    buffer: SSAValue,
    subscripts: IndexExpressions,
    expressions: Sequence[AffineExpr],
    value: SSAValue | None,
) -> LoadOp | StoreOp | None:
    """The access of the loop level; None for a buffer of another layout or an unknown shape, which has none."""
    kind = memref_type(buffer)
    if not isinstance(kind.layout, NoneAttr) or DYNAMIC_INDEX in kind.get_shape():
        return None
    where = subscripts.map_of(expressions)
    made = (
        LoadOp(buffer, subscripts.indices, where)
        if value is None
        else StoreOp(value, buffer, subscripts.indices, where)
    )
    made.location = op.location
    return made


def require_inside(op: Operation, made: LoadOp | StoreOp) -> None:
    """Raises: UserError if an access leaves its buffer in a loop that runs."""
    if (outside := find_outside(made)) is not None:
        raise error_at(op, f"{op.name}: {outside}; required: an element of the buffer")


@lowers(TO_LOOP, memref.LoadOp, memref.StoreOp)
class PlainAccess(StatelessPattern):
    """`memref.load %x[%i]`, where `%i` is an `affine.apply` or a sum -> `loop.load %x[%m + 1]`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.LoadOp | memref.StoreOp, rewriter: PatternRewriter) -> None:
        subscripts = IndexExpressions()
        expressions = [subscripts.expression(value) for value in op.indices]
        value = op.value if isinstance(op, memref.StoreOp) else None
        if (made := _access(op, op.memref, subscripts, expressions, value)) is not None:
            rewriter.insert(made)
            require_inside(op, made)
            rewriter.replace(op, [], list(made.results))


@lowers(TO_LOOP, affine.LoadOp, affine.StoreOp)
class AffineAccess(StatelessPattern):
    """`affine.load %x[%i + 1, symbol(%n)]` -> `loop.load`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.LoadOp | affine.StoreOp, rewriter: PatternRewriter) -> None:
        subscripts, where = IndexExpressions(), op.map.data
        expressions = [subscripts.of_map(e, where.num_dims, op.indices) for e in where.results]
        value = op.value if isinstance(op, affine.StoreOp) else None
        if (made := _access(op, op.memref, subscripts, expressions, value)) is None:
            raise error_at(op, f"{op.name}: found {op.memref.type}; required: a static shape and no layout")
        rewriter.insert(made)
        require_inside(op, made)
        rewriter.replace(op, [], list(made.results))
