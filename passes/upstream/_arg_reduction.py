"""Argmax and argmin in the body of an op of linalg: two results, the second of which is the position of the first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, IntegerAttr, TensorType, i32
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects.arith import CmpfOp, CmpiOp, ExtSIOp, IndexCastOp, IndexCastUIOp, SelectOp, TruncIOp
from mlc.dialects.linalg import LinalgOp
from mlc.dialects.tensor import MapOp, ReduceOp
from mlc.passes.upstream._points import BodyPoints
from mlc.passes.upstream._reductions import BodyReduction, reduction_of, turned
from mlc.support.ir import identity_of
from mlc.support.types import Tensor, element_type, integer_width, tensor_type

_KINDS = {"max": "g", "maxnum": "g", "maxui": "g", "min": "l", "minnum": "l", "minui": "l"}
"""Reductions, with the first letter of the comparison of an element with what is there."""


@dataclass(frozen=True)
class ArgReduction:
    """A result that is the position of the extreme element that another result is.

    Attributes:
        extreme: the number of that result.
        reduction: how it is reduced.
        comparison: what tells whether an element takes the place of what is there.
        predicate: the name of its predicate, with the element on the left.
        dim: the dim whose position it is.
    """

    extreme: int
    reduction: BodyReduction
    comparison: CmpfOp | CmpiOp
    predicate: str
    dim: int

    @property
    def kind(self) -> str:
        """The reduction, where no element is NaN."""
        return self.reduction.kind.removesuffix("num")

    @property
    def is_last(self) -> bool:
        """Whether it is the last such position; else it is the first."""
        return self.predicate.endswith("e")


def arg_reduction_of(op: LinalgOp, number: int) -> ArgReduction | None:
    """What result `number` is a position of; None if it is none.

    Recognised is `select(x > extreme, position, there)` beside a result that is the maximum of `x`, and its like.
    """
    last, there = op.point.last_op, op.point.args[len(op.ins) :]
    select = last.operands[number].owner if last is not None else None
    if last is None or not isinstance(select, SelectOp) or select.rhs is not there[number]:
        return None
    comparison, dim = select.cond.owner, _position(select.lhs)
    if not isinstance(comparison, CmpfOp | CmpiOp) or dim is None:
        return None
    predicate = comparison.predicate_name
    for element, other, name in (
        (comparison.lhs, comparison.rhs, predicate),
        (comparison.rhs, comparison.lhs, turned(predicate)),
    ):
        if isinstance(other, BlockArgument) and other in there and (extreme := there.index(other)) != number:
            found = reduction_of(last.operands[extreme], other)
            if found is None or found.operands != (element,) or found.make is not None:
                return None
            if name[:2] == _sign(comparison, found.kind) + _KINDS.get(found.kind, ""):
                return ArgReduction(extreme, found, comparison, name, dim)
    return None


def _sign(comparison: CmpfOp | CmpiOp, kind: str) -> str:
    """The first letter of a predicate: how it reads its operands."""
    return "o" if isinstance(comparison, CmpfOp) else "u" if kind.endswith("ui") else "s"


def _position(value: SSAValue) -> int | None:
    """The dim whose position a value is, perhaps as an integer."""
    if isinstance(value.owner, IndexCastOp | IndexCastUIOp):
        value = value.owner.input
    return value.owner.dim.value.data if isinstance(value.owner, IndexOp) else None


def position_of_extreme(
    op: LinalgOp,
    found: ArgReduction,
    number: int,
    make: Callable[[], BodyPoints],
    named: Sequence[tuple[str, int]],
    ops: list[Operation],
) -> SSAValue:
    """The position, by a reduction for the extreme and one for the first, or last, position where it is.

    As the body says, what comes after a NaN counts no more where `maximumf` passes it on, and no NaN counts elsewhere;
    the position that was there before stays where no element takes its place.

    Args:
        op: the op, of which result `number` is the position.
        make: makes points over all dims.
        named: the dims, of which the last one is reduced.
        ops: what is made is appended here.
    """
    rank, (_, extent) = len(named) - 1, named[-1]
    before, initial = op.outs[number], op.outs[found.extreme]
    element, over = element_type(initial.type), [AffineExpr.dimension(i) for i in range(rank)]
    along = [AffineExpr.dimension(rank)]
    numbers = arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(i32, [extent]), range(extent)))
    ops.append(numbers)
    nans = _first_nan(op, found, make, named, numbers.result, ops)

    def included(points: BodyPoints) -> tuple[SSAValue, SSAValue, SSAValue | None]:
        """An element, its position, and whether it counts."""
        (x,) = points.take(op.point, found.reduction.operands)
        at = points.operand(numbers.result, along)
        if not isinstance(element, AnyFloat):
            return x, at, None
        if nans is None:
            return x, at, points.add([CmpfOp(x, x, "oeq")])
        return x, at, points.add([CmpiOp(at, points.operand(nans, over), "slt")])

    points = make()
    x, _, counts = included(points)
    if counts is not None:
        least = points.add([identity_of(found.kind, element)])
        x = points.add([SelectOp(counts, x, least)])
    extreme = _reduced(found.kind, points, x, named, tensor_type(initial), ops)

    points = make()
    x, at, counts = included(points)
    e = points.operand(extreme, over)
    hit = points.add([CmpfOp(x, e, "oeq") if isinstance(element, AnyFloat) else CmpiOp(x, e, "eq")])
    if counts is not None:
        hit = points.add([arith.AndIOp(hit, counts)])
    nowhere = points.add([arith.ConstantOp(IntegerAttr(-1 if found.is_last else extent, i32))])
    value = points.add([SelectOp(hit, at, nowhere)])
    kind = TensorType(i32, tensor_type(before).get_shape())
    place = _reduced("max" if found.is_last else "min", points, value, named, kind, ops)

    points = BodyPoints()
    e, start, at, there = (points.element(v, over) for v in (extreme, initial, place, before))
    is_taken = points.add([type(found.comparison)(e, start, found.predicate)])
    if found.is_last:  # what is as good as the initial value may be nowhere
        zero = points.add([arith.ConstantOp(IntegerAttr(0, i32))])
        is_taken = points.add([arith.AndIOp(is_taken, points.add([CmpiOp(at, zero, "sge")]))])
    width = integer_width(there.type) or 0
    if width != 32:
        at = points.add([(ExtSIOp if width > 32 else TruncIOp)(at, there.type)])
    value = points.add([SelectOp(is_taken, at, there)])
    ops.append(MapOp(points.operands, points.subscripts, named[:rank], before.type, points.close(value)))
    return ops[-1].results[0]


def _first_nan(
    op: LinalgOp,
    found: ArgReduction,
    make: Callable[[], BodyPoints],
    named: Sequence[tuple[str, int]],
    numbers: SSAValue,
    ops: list[Operation],
) -> SSAValue | None:
    """The position of the first NaN, or how many elements there are; None where the extreme is never NaN."""
    kind = tensor_type(op.outs[found.extreme])
    if not isinstance(kind.element_type, AnyFloat) or found.reduction.kind != found.kind:
        return None
    points = make()
    (x,) = points.take(op.point, found.reduction.operands)
    at = points.operand(numbers, [AffineExpr.dimension(len(named) - 1)])
    nowhere = points.add([arith.ConstantOp(IntegerAttr(named[-1][1], i32))])
    value = points.add([SelectOp(points.add([CmpfOp(x, x, "uno")]), at, nowhere)])
    return _reduced("min", points, value, named, TensorType(i32, kind.get_shape()), ops)


def _reduced(
    kind: str,
    points: BodyPoints,
    value: SSAValue,
    named: Sequence[tuple[str, int]],
    result: Tensor,
    ops: list[Operation],
) -> SSAValue:
    ops.append(ReduceOp(kind, points.operands, points.subscripts, named, result, points.close(value)))
    return ops[-1].results[0]
