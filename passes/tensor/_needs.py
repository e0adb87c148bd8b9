"""Which elements of values are needed: what accesses, several readers and reshapes ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

from xdsl.dialects import func
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from mlc.passes.tensor._known_scalars import Extent, Share
from mlc.support.functions import marks_of, range_in
from mlc.support.linear import LinearForm, plain_dim
from mlc.support.types import tensor_type

Needs = Mapping[int, Extent | int]
"""Of which axes of a value only the elements before an extent, or before a number, are needed; or those from a start
on, beside which a number means that all may be."""


@dataclass(frozen=True)
class Readers:
    """What several readers of values need, together: where the elements end, or where they start.

    Attributes:
        least: the least that integers are, of those that the model is given in a range.
        shares: integers of the model that are computed of others.
        lanes: what extents of some dims are rounded up to.
    """

    least: Mapping[SSAValue, int]
    shares: Mapping[SSAValue, Share]
    lanes: int
    of_starts: bool = False

    @classmethod
    def of(cls, model: func.FuncOp, shares: Mapping[SSAValue, Share], lanes: int, of_starts: bool) -> Readers:
        """Those of the values of a model."""
        ranges = zip(model.args, map(range_in, marks_of(model.args, model.arg_attrs)), strict=True)
        return cls({argument: found[0] for argument, found in ranges if found}, shares, lanes, of_starts)

    def joint(self, one: Extent, other: Extent) -> Extent | None:
        """An extent that is not less than either of two, or a start that is not more; None if they are not known to go
        together."""
        if (one.symbol, one.factor, one.over) == (other.symbol, other.factor, other.over):
            plus = min(one.plus, other.plus) if self.of_starts else max(one.plus, other.plus)
            return replace(one, plus=plus, multiple=max(one.multiple, other.multiple))
        if self.of_starts:
            return None
        one, other = self.of_inputs(one), self.of_inputs(other)
        if one.symbol is not other.symbol:
            return None
        if one.factor * other.over < other.factor * one.over:
            one, other = other, one
        is_same = (one.factor, one.over) == (other.factor, other.over)
        more = 0 if is_same else other.over * other.multiple - 1  # as much as rounding up adds at most
        return replace(one, plus=max(one.plus, other.plus + more), multiple=max(one.multiple, other.multiple))

    def of_inputs(self, extent: Extent) -> Extent:
        """An extent that is not less than this one, of a symbol that is not computed of others, as far as it is known
        that none of these is negative: divisions of such are rounded up."""
        while (share := self.shares.get(extent.symbol)) is not None:
            if self._least(share.extent) < 0:
                break
            # (E * t / d + q + p) / o  is  (E + (q + p) * d / t) / (d * o / t).
            plus = share.extent.plus - -((share.more + extent.plus) * share.divisor) // share.times
            times, over = Fraction(share.times, share.divisor * extent.over).as_integer_ratio()
            extent = Extent(share.extent.symbol, plus, extent.factor * times, over, extent.multiple)
        return extent

    def _least(self, whole: Extent) -> int:
        """A number that `symbol + plus` is not less than; -1 if none is known that is not negative."""
        if whole.symbol in self.least:
            return max(self.least[whole.symbol] + whole.plus, -1)
        share = self.shares.get(whole.symbol)
        inner = -1 if share is None else self._least(share.extent)
        if share is None or inner < 0:
            return -1
        more = share.more - 1 if share.more and share.divisor > 1 else share.more  # which may have been rounded up
        return max(inner // share.divisor * share.times + more + whole.plus, -1)

    def join(self, needed: dict[SSAValue, Needs], value: SSAValue, needs: Needs) -> None:
        """Note one more reader of a value."""
        known = needed.get(value)
        both = needs if known is None else {a: self._of_both(end, needs.get(a)) for a, end in known.items()}
        needed[value] = {axis: end for axis, end in both.items() if end is not None}

    def _of_both(self, one: Extent | int, other: Extent | int | None) -> Extent | int | None:
        """Where the elements end, or start, that two readers need; None if that is not known."""
        match one, other:
            case int(), int():
                return max(one, other)
            case (int() as number, Extent() as extent) | (Extent() as extent, int() as number):
                least = -(-(self.least.get(extent.symbol, 0) + extent.plus) // extent.over) * extent.factor
                return extent if number <= least and not self.of_starts else None
            case Extent(), Extent():
                return self.joint(one, other)
            case _:
                return None


def subscripted(
    subscripts: Sequence[AffineExpr], limits: Mapping[int, Extent], sizes: Sequence[int]
) -> dict[int, Extent | int]:
    """The elements that an access reaches if dims run as far as their limits, or from their starts on."""
    reached = {axis: _end_of(subscript, limits, sizes) for axis, subscript in enumerate(subscripts)}
    return {axis: extent for axis, extent in reached.items() if extent is not None}


def _end_of(subscript: AffineExpr, limits: Mapping[int, Extent], sizes: Sequence[int]) -> Extent | int | None:
    """What a subscript stays below: `a * dim + rest` below `a` times the limit, and as much more as `rest` is more than
    `a - 1`; a number below the next one. Or what it does not fall below, if the limits are starts."""
    if isinstance(subscript, AffineConstantExpr):
        return subscript.value + 1
    if (dim := plain_dim(subscript)) is not None:
        return limits.get(dim)
    form = LinearForm.of(subscript)
    limited = [] if form is None else [dim for dim in form.factors if dim in limits]
    if form is None or len(limited) != 1:
        return None
    (dim,) = limited
    factor, extent = form.factors[dim], limits[dim]
    low, high = LinearForm({d: f for d, f in form.factors.items() if d != dim}, form.constant).range(sizes)
    if factor < 1:
        return None
    if extent.is_start:
        return extent.times(factor).beyond(low)
    return extent.times(factor).beyond(max(high + 1 - factor, 0))


def same_axes(before: SSAValue, after: SSAValue) -> list[tuple[int, int, Fraction]]:
    """The axes of a tensor and of its reshape that have the same elements before an extent, and how many times longer
    that is after it: axes that begin anew after as many elements, whatever was joined to them, or split off, inside."""
    axes = {extent * step: (axis, step) for axis, (extent, step) in enumerate(_places(after)) if extent > 1}
    found: list[tuple[int, int, Fraction]] = []
    for axis, (extent, step) in enumerate(_places(before)):
        if extent > 1 and (same := axes.get(extent * step)) is not None:
            found.append((axis, same[0], Fraction(step, same[1])))
    return found


def _places(value: SSAValue) -> list[tuple[int, int]]:
    """The extent of each axis, and how many elements one step along it moves over."""
    shape = tensor_type(value).get_shape()
    return [(extent, prod(shape[axis + 1 :])) for axis, extent in enumerate(shape)]


def before_reshape(root: SSAValue, result: SSAValue, needs: Needs) -> Needs:
    """What is needed of a tensor, where so much is needed of its reshape."""
    found: dict[int, Extent | int] = {}
    for before, after, factor in same_axes(root, result):
        end = needs.get(after)
        if isinstance(end, Extent):
            found[before] = end.times(1 / factor)
    return found
