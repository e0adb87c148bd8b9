"""Divisions of sizes that round down, and their remainders, as JAX writes them: C's quotient, or one less, if the signs
differ and something is left.

    where(sign(a) != sign(b) and a rem b != 0, a / b - 1, a / b)
    where((a rem b < 0) != (b < 0) and a rem b != 0, a rem b + b, a rem b)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.knowledge import Knowledge
from mlc.frontends.operators.size_rules import as_sizes
from mlc.frontends.operators.sizes import AnySize, SizeArray, bounds, smaller


def floored(op: graph.WhereOp, knowledge: Knowledge) -> SizeArray | None:
    """The quotient or the remainder that an op chooses, where it is one of sizes; None if that is not a size."""
    size = _Division(knowledge).chosen(op)
    return None if size is None else as_sizes(np.full(shape_of(op.result), size, object))


@dataclass(frozen=True)
class _Division:
    knowledge: Knowledge

    def chosen(self, op: graph.WhereOp) -> AnySize | None:
        condition, changed, kept = map(self._seen, op.operands)
        division, change, both = kept.owner, changed.owner, condition.owner
        if not isinstance(division, graph.DivOp | graph.RemOp) or not isinstance(both, graph.AndOp):
            return None
        a, b = (self._size(v) for v in division.operands)
        if a is None or b is None or bounds(b)[0] < 1 or (quotient := _floor(a, b)) is None:
            return None
        is_quotient = isinstance(division, graph.DivOp)
        if not isinstance(change, graph.SubOp if is_quotient else graph.AddOp) or self._seen(change.lhs) is not kept:
            return None
        signs, rest = (self._seen(v) for v in both.operands)
        differ = self._signs_differ(signs, a) if is_quotient else self._is_negative(signs, a, b)
        by = self._size(change.rhs)
        if by != (1 if is_quotient else b) or not differ or not self._compares("ne", rest, a, b):
            return None
        if is_quotient:
            return quotient
        return a * (1 - quotient) if isinstance(a, int) and a >= 0 else a - quotient * b  # which is not more than `a`

    def _signs_differ(self, value: SSAValue, a: AnySize) -> bool:
        """Whether a value says that the sign of `a` is not 1, or `a` is negative and it says that this is so."""
        known, op = self.knowledge.array(value), value.owner
        if known is not None:
            return bool(known.all()) and bounds(a)[1] < 0
        if not isinstance(op, graph.CompareOp) or op.predicate.data.value != "ne":
            return False
        sign = self._seen(op.lhs).owner
        return isinstance(sign, graph.SignOp) and self._size(sign.operands[0]) == a and self._size(op.rhs) == 1

    def _is_negative(self, value: SSAValue, a: AnySize, b: AnySize) -> bool:
        """Whether a value says that the remainder is negative, as `b` is not."""
        op = value.owner
        if not isinstance(op, graph.CompareOp) or op.predicate.data.value != "ne":
            return False
        other = self.knowledge.array(self._seen(op.rhs))
        return other is not None and not other.any() and self._compares("lt", self._seen(op.lhs), a, b)

    def _compares(self, predicate: str, value: SSAValue, a: AnySize, b: AnySize) -> bool:
        """Whether a value compares what is left of a division with 0."""
        op = value.owner
        if not isinstance(op, graph.CompareOp) or op.predicate.data.value != predicate or self._size(op.rhs) != 0:
            return False
        left = self._seen(op.lhs).owner
        return isinstance(left, graph.RemOp) and [self._size(v) for v in left.operands] == [a, b]

    def _seen(self, value: SSAValue) -> SSAValue:
        """What a choice between two is, if it is known which."""
        while isinstance(op := value.owner, graph.WhereOp):
            known = self.knowledge.array(op.operands[0])
            if known is None or known.size != 1:
                break
            value = op.operands[1 if known.item() else 2]
        return value

    def _size(self, value: SSAValue) -> AnySize | None:
        if (sizes := self.knowledge.sizes.get(value)) is not None:
            return sizes.flat[0] if sizes.size == 1 else None
        known = self.knowledge.array(value)
        return int(known.item()) if known is not None and known.size == 1 and known.dtype.kind in "iu" else None


def _floor(a: AnySize, b: AnySize) -> AnySize | None:
    """`a / b`, rounded down, of a divisor that is positive; None if it is no size."""
    low, high = bounds(a)
    if isinstance(b, int):
        return a // b if low >= 0 else -((b - 1 - a) // b) if high <= 0 else None
    if isinstance(a, int) and -bounds(b)[0] <= a <= bounds(b)[0]:
        return -1 if a < 0 else 1 - smaller(b - a, 1)
    return None
