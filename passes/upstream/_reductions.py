"""Which reduction the body of an op of linalg is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from mlc.dialects.arith import CmpfOp, CmpiOp, SelectOp
from mlc.support.ir import zero_of
from mlc.support.types import element_type

_SYMMETRIC: dict[str, str] = {
    "arith.addf": "add",
    "arith.addi": "add",
    "arith.mulf": "mul",
    "arith.muli": "mul",
    "arith.maximumf": "max",
    "arith.minimumf": "min",
    "arith.maxnumf": "maxnum",
    "arith.minnumf": "minnum",
    "arith.maxsi": "max",
    "arith.minsi": "min",
    "arith.maxui": "maxui",
    "arith.minui": "minui",
}
"""Ops that combine two numbers in any order, with the kind of reduction that they are."""
_OF_BOOLEANS = {"arith.ori": "maxui", "arith.andi": "minui", "arith.xori": "add"}
"""Likewise of i1."""
_SELECTED = {
    # The one that is greater or less, which leaves out NaN.
    "ogt": "maxnum",
    "oge": "maxnum",
    "olt": "minnum",
    "ole": "minnum",
    "sgt": "max",
    "sge": "max",
    "slt": "min",
    "sle": "min",
    "ugt": "maxui",
    "uge": "maxui",
    "ult": "minui",
    "ule": "minui",
}
_FLIPPED = {"gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}
REQUIRED = (
    "one op that combines what is there with a new element: a sum, a product, a maximum, a minimum, "
    "or the position of one of these"
)


@dataclass(frozen=True)
class BodyReduction:
    """How a point is combined with what is there."""

    kind: str
    """One of `REDUCTIONS`, or `minnum`."""
    operands: tuple[SSAValue, ...]
    """What the point is computed of."""
    make: Callable[..., list[Operation]] | None = None
    """The ops that make the point of these, the last one is it; None where it is the only operand."""
    multiplies: bool = False
    """Whether the point is the product of the two operands."""


def reduction_of(yielded: SSAValue, there: SSAValue) -> BodyReduction | None:
    """The reduction by which `there` becomes `yielded`; None if it is none."""
    op = yielded.owner
    if isinstance(op, SelectOp):
        return _selected(op, there)
    if not isinstance(op, Operation) or there not in op.operands:
        return None
    if isinstance(op, math.FmaOp):
        if there is op.c and there not in (op.a, op.b):
            return BodyReduction("add", (op.a, op.b), _product_of_floats, multiplies=True)
        return None
    if isinstance(op, arith.SubfOp | arith.SubiOp):
        if op.lhs is not there or op.rhs is there:
            return None
        if isinstance(op, arith.SubfOp):
            return BodyReduction("add", (op.rhs,), _negative_float)
        return BodyReduction("add", (op.rhs,), _negative_integer)
    kind = _SYMMETRIC.get(op.name) or (_OF_BOOLEANS.get(op.name) if there.type == i1 else None)
    if kind is None or len(op.operands) != 2 or op.operands[0] is op.operands[1]:
        return None
    point = op.operands[1] if op.operands[0] is there else op.operands[0]
    product = point.owner
    if kind == "add" and isinstance(product, arith.MulfOp | arith.MuliOp) and there.type != i1:
        make = _product_of_floats if isinstance(product, arith.MulfOp) else _product_of_integers
        return BodyReduction("add", (product.lhs, product.rhs), make, multiplies=True)
    return BodyReduction(kind, (point,))


def turned(predicate: str) -> str:
    """The predicate that says the same of swapped operands; no predicate for those of equality."""
    return predicate[:1] + _FLIPPED.get(predicate[1:], "")


def _product_of_floats(a: SSAValue, b: SSAValue) -> list[Operation]:
    return [arith.MulfOp(a, b)]


def _product_of_integers(a: SSAValue, b: SSAValue) -> list[Operation]:
    return [arith.MuliOp(a, b)]


def _negative_float(a: SSAValue) -> list[Operation]:
    return [arith.NegfOp(a)]


def _negative_integer(a: SSAValue) -> list[Operation]:
    zero = zero_of(element_type(a.type))
    return [zero, arith.SubiOp(zero.result, a)]


def _selected(op: SelectOp, there: SSAValue) -> BodyReduction | None:
    """`select(x > there, x, there)` and its like."""
    condition, chosen, other = op.cond.owner, op.lhs, op.rhs
    if not isinstance(condition, CmpfOp | CmpiOp) or chosen is other or there not in (chosen, other):
        return None
    if {chosen, other} != {condition.lhs, condition.rhs}:
        return None
    name = condition.PREDICATES[condition.predicate.value.data]
    if isinstance(condition, CmpfOp) and (not name.startswith("o") or chosen is there):
        return None  # NaN comes in and goes again: the order of elements counts
    kind = _SELECTED.get(turned(name) if chosen is condition.rhs else name)
    return None if kind is None else BodyReduction(kind, (other if chosen is there else chosen,))
