"""Sizes that are known at the call: polynomials over the extents that inputs have then.

What models compute of shapes (`Shape`, `Gather`, `Mul`, `Concat`, …) is computed here with symbols. Two sizes are equal
for all extents in their ranges if their polynomials are. Integer divisions that leave a remainder are symbols of their
own, `(n - 1) / 2`. Numbers of no symbol are Python's integers.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil, floor, prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType, f32, f64, i1
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.moves import MoveOp
from mlc.dialects.graph.types import element_of
from mlc.reference.folding import computed
from mlc.support.dtypes import to_numpy


@dataclass(frozen=True)
class ExtentSymbol:
    """An extent that a call gives, or the number of its step: `(value - start) / step`, and what that may be.

    Extents of which only each `step`-th one is allowed are `step * symbol + start`: it is known what divides them.
    """

    value: SSAValue
    """A `tensor<i64>`."""
    least: int
    most: int
    start: int = 0
    step: int = 1

    @staticmethod
    def of(value: SSAValue, allowed: range) -> SymbolicSize:
        """The size that is an extent of a call, which is one of `allowed`."""
        if allowed.step == 1:
            return SymbolicSize.of(ExtentSymbol(value, allowed[0], allowed[-1]))
        steps = SymbolicSize.of(ExtentSymbol(value, 0, len(allowed) - 1, allowed[0], allowed.step))
        size = steps * allowed.step + allowed[0]
        assert isinstance(size, SymbolicSize)
        return size


@dataclass(frozen=True)
class Quotient:
    """A size that is not negative, divided by a number and rounded down."""

    whole: SymbolicSize
    divisor: int


SizeFactor = ExtentSymbol | Quotient
Monomial = frozenset[tuple[SizeFactor, int]]
"""Factors and their powers."""


@dataclass(frozen=True)
class SymbolicSize:
    """A polynomial that is not constant: monomials and their coefficients, none of which is 0."""

    terms: frozenset[tuple[Monomial, int]]

    @staticmethod
    def of(factor: SizeFactor) -> SymbolicSize:
        """A factor alone."""
        return SymbolicSize(frozenset([(frozenset([(factor, 1)]), 1)]))

    def __add__(self, other: AnySize) -> AnySize:
        total = Counter(dict(self.terms))
        for monomial, coefficient in _terms(other).items():
            total[monomial] += coefficient
        return _size(total)

    __radd__ = __add__

    def __mul__(self, other: AnySize) -> AnySize:
        total: Counter[Monomial] = Counter()
        for (a, x), (b, y) in product(self.terms, _terms(other).items()):
            powers = Counter(dict(a))
            powers.update(dict(b))
            total[frozenset(powers.items())] += x * y
        return _size(total)

    __rmul__ = __mul__

    def __neg__(self) -> AnySize:
        return self * -1

    def __sub__(self, other: AnySize) -> AnySize:
        return self + -other

    def __rsub__(self, other: AnySize) -> AnySize:
        return -self + other

    def __floordiv__(self, divisor: int) -> AnySize:
        """Raises: ValueError if the size may be negative, for which integer divisions differ, or the divisor is not
        positive."""
        constant = dict(self.terms).get(frozenset(), 0)
        if divisor < 1 or bounds(self)[0] < 0:
            raise ValueError("found a division that may round up or down")
        if all(coefficient % divisor == 0 for monomial, coefficient in self.terms if monomial):
            return _size({m: c // divisor if m else constant // divisor for m, c in self.terms})
        return SymbolicSize.of(Quotient(self, divisor))


AnySize = int | SymbolicSize
Rational = int | Fraction
SizeArray = NDArray[Any]
"""An array of integers and sizes."""


def _terms(size: AnySize) -> Mapping[Monomial, int]:
    return dict(size.terms) if isinstance(size, SymbolicSize) else {frozenset[tuple[SizeFactor, int]](): int(size)}


def _size(terms: Mapping[Monomial, int]) -> AnySize:
    kept = {monomial: coefficient for monomial, coefficient in terms.items() if coefficient}
    if not any(kept):
        return kept.get(frozenset(), 0)
    return SymbolicSize(frozenset(kept.items()))


def bounds(size: AnySize) -> tuple[int, int]:
    """Numbers that a size is not less than, and not more than."""
    if not isinstance(size, SymbolicSize):
        return size, size
    low, high = _interval(dict(size.terms))
    if any(isinstance(factor, Quotient) for monomial, _ in size.terms for factor, _ in monomial):
        low = max(low, _interval(_without_quotients(size, False))[0])
        high = min(high, _interval(_without_quotients(size, True))[1])
    return ceil(low), floor(high)


def _interval(terms: Mapping[Monomial, Rational]) -> tuple[Rational, Rational]:
    """The sums of the least and of the greatest values of terms."""
    low = high = Fraction(0)
    for monomial, coefficient in terms.items():
        ends = [prod(each) * coefficient for each in product(*(_bounds_of(f) for f, p in monomial for _ in range(p)))]
        low, high = low + min(ends), high + max(ends)
    return low, high


def _without_quotients(size: SymbolicSize, above: bool) -> dict[Monomial, Rational]:
    """A polynomial that is not less than a size, or not more: `n / d`, rounded down, is from `(n - d + 1) / d` to
    `n / d`, so that `n / 2 - n` is known to be negative. Quotients in products stay."""
    found: dict[Monomial, Rational] = {}
    pending: list[tuple[Monomial, Rational]] = list(size.terms)
    while pending:
        monomial, coefficient = pending.pop()
        ((factor, power),) = monomial if len(monomial) == 1 else ((None, 0),)
        if not isinstance(factor, Quotient) or power != 1:
            found[monomial] = found.get(monomial, Fraction(0)) + coefficient
            continue
        share = Fraction(coefficient) / factor.divisor
        pending += [(inner, share * number) for inner, number in factor.whole.terms]
        if (coefficient > 0) != above:
            pending.append((frozenset(), share * (1 - factor.divisor)))
    return found


def _bounds_of(factor: SizeFactor) -> tuple[int, int]:
    if isinstance(factor, ExtentSymbol):
        return factor.least, factor.most
    low, high = bounds(factor.whole)
    return low // factor.divisor, high // factor.divisor


def divided(size: AnySize, divisor: AnySize) -> AnySize | None:
    """The size that is the quotient of two, of which the second is one product; None if it leaves a remainder."""
    terms = _terms(divisor)
    if len(terms) != 1:
        return 1 if size == divisor else None
    ((powers, number),) = terms.items()
    found: dict[Monomial, int] = {}
    for monomial, coefficient in _terms(size).items():
        left = Counter(dict(monomial))
        left.subtract(dict(powers))
        if not number or coefficient % number or any(power < 0 for power in left.values()):
            return None
        found[frozenset((factor, power) for factor, power in left.items() if power)] = coefficient // number
    return _size(found)


def in_symbols(size: AnySize) -> str:
    """A size in words: `2*seq + 1`."""
    if not isinstance(size, SymbolicSize):
        return str(size)
    terms: list[str] = []
    for monomial, coefficient in sorted(size.terms, key=lambda term: (-len(term[0]), -term[1])):
        factors = [_factor_in_symbols(f) for f, power in monomial for _ in range(power)]
        shown = [str(coefficient)] if coefficient != 1 or not factors else []
        terms.append("*".join([*shown, *sorted(factors)]))
    return " + ".join(terms)


def _factor_in_symbols(factor: SizeFactor) -> str:
    if isinstance(factor, ExtentSymbol):
        name = factor.value.name_hint or "?"
        return name if factor.step == 1 else f"(({name} - {factor.start}) / {factor.step})"
    return f"(({in_symbols(factor.whole)}) / {factor.divisor})"


def symbols_in(size: AnySize) -> set[ExtentSymbol]:
    """The extents that a size depends on."""
    found: set[ExtentSymbol] = set()
    for monomial, _ in size.terms if isinstance(size, SymbolicSize) else ():
        for factor, _ in monomial:
            found |= {factor} if isinstance(factor, ExtentSymbol) else symbols_in(factor.whole)
    return found


def written(size: AnySize, add: Callable[..., SSAValue], number: Callable[[int], SSAValue]) -> SSAValue:
    """The ops that compute a size, made by `add(op type, operands)` and `number(constant)`."""
    if not isinstance(size, SymbolicSize):
        return number(size)
    total: SSAValue | None = None
    for monomial, coefficient in sorted(size.terms, key=lambda term: (-len(term[0]), -term[1])):
        parts = [_written_factor(f, add, number) for f, power in monomial for _ in range(power)]
        if coefficient != 1 or not parts:
            parts.append(number(coefficient))
        term = parts[0]
        for part in parts[1:]:
            term = add(graph.MulOp, term, part)
        total = term if total is None else add(graph.AddOp, total, term)
    assert total is not None
    return total


def _written_factor(factor: SizeFactor, add: Callable[..., SSAValue], number: Callable[[int], SSAValue]) -> SSAValue:
    if isinstance(factor, ExtentSymbol):
        from_start = add(graph.AddOp, factor.value, number(-factor.start)) if factor.start else factor.value
        return from_start if factor.step == 1 else add(graph.DivOp, from_start, number(factor.step))
    return add(graph.DivOp, written(factor.whole, add, number), number(factor.divisor))


# ---- graph ops on sizes

_MOST = 64
"""As many numbers describe a shape at most."""
_MOST_IN_F32 = 1 << 24
"""The largest integer up to which f32 has all of them."""
_REDUCED: Mapping[str, Callable[..., Any]] = {"sum": operator.add, "prod": operator.mul}


class _Undecided(Exception):
    """A result depends on extents in another way than as a polynomial."""


def sizes_of(op: graph.GraphOp, operands: Sequence[SizeArray]) -> SizeArray | None:
    """What an op makes of operands that are integers and sizes; None if that is not a polynomial of extents."""
    element: Attribute = element_of(op.results[0])
    is_integer = isinstance(element, IntegerType)
    if len(op.results) != 1 or any(a.size > _MOST for a in operands):
        return None
    if not is_integer and not (isinstance(op, graph.CastOp | MoveOp) and element in (f32, f64)):
        return None
    try:
        found = _result(op, operands)
    except (_Undecided, ValueError):
        return None
    if found is None or found.size > _MOST or element == i1:
        return found
    # Floats hold these integers as they are.
    least, most = _limits(op.results[0]) if is_integer else (-_MOST_IN_F32, _MOST_IN_F32)
    fits = all(least <= low and high <= most for low, high in map(bounds, found.flat))
    return found if fits else None


def _limits(value: SSAValue) -> tuple[int, int]:
    limits = np.iinfo(to_numpy(element_of(value)))
    return int(limits.min), int(limits.max)


def _result(op: graph.GraphOp, operands: Sequence[SizeArray]) -> SizeArray | None:
    if isinstance(op, graph.CompareOp):
        predicate = op.predicate.data.value
        return _elementwise(partial(_compared, predicate), operands)
    if isinstance(op, graph.CastOp):
        return _elementwise(partial(_compared, "ne", b=0), operands) if element_of(op.result) == i1 else operands[0]
    if isinstance(op, graph.WhereOp):
        return _elementwise(_chosen, operands)
    if isinstance(op, graph.ReduceOp):
        kind = op.kind.data.value
        if kind not in _REDUCED or operands[0].ndim != 1 or not operands[0].size:
            return None
        total = operands[0].flat[0]
        for each in operands[0].flat[1:]:
            total = _REDUCED[kind](total, each)
        return _array([total], cast(Any, op.result.type).get_shape())
    if (rule := _ARITHMETIC.get(type(op))) is not None:
        return _elementwise(rule, operands)
    if isinstance(op, graph.GatherOp):
        if any(isinstance(index, SymbolicSize) for index in operands[1].flat):
            return None
        return _moved(op, operands[:1], [operands[1].astype(to_numpy(element_of(op.operands[1])))])
    return _moved(op, operands, []) if isinstance(op, MoveOp | graph.ConcatOp) else None


def _moved(op: graph.GraphOp, operands: Sequence[SizeArray], others: Sequence[NDArray[Any]]) -> SizeArray:
    """The elements of `operands` where the op puts them: what it does with their numbers says where."""
    table = [each for array in operands for each in array.flat]
    starts = np.cumsum([0, *(array.size for array in operands)])
    dtype: np.dtype[Any] = to_numpy(element_of(op.operands[0]))
    numbered: list[NDArray[Any]] = [
        np.arange(start, start + array.size, dtype=dtype).reshape(array.shape)
        for start, array in zip(starts, operands, strict=False)
    ]
    places = computed(op, [*numbered, *others])
    return _array([table[int(place)] for place in places.flat], places.shape)


def _elementwise(rule: Callable[..., Any], operands: Sequence[SizeArray]) -> SizeArray:
    arrays = np.broadcast_arrays(*operands)
    return _array([rule(*each) for each in zip(*(a.flat for a in arrays), strict=True)], arrays[0].shape)


def _array(numbers: Sequence[Any], shape: Sequence[int]) -> SizeArray:
    found = np.empty(len(numbers), object)
    found[:] = numbers
    return found.reshape(tuple(shape))


def as_sizes(array: NDArray[Any]) -> SizeArray:
    """Integers as Python has them, and sizes as they are."""
    return _array([each if isinstance(each, SymbolicSize) else int(each) for each in array.flat], array.shape)


def _divided(a: AnySize, b: AnySize) -> AnySize:
    if isinstance(b, SymbolicSize):
        if a == b and bounds(b)[0] > 0:
            return 1
        raise _Undecided
    if isinstance(a, SymbolicSize):
        return a // b
    if b == 0:
        raise _Undecided
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def smaller(a: AnySize, b: AnySize) -> AnySize | None:
    """The smaller one of two sizes; None if it is not the same one for all extents."""
    try:
        return _extreme(False, a, b)
    except _Undecided:
        return None


def _extreme(largest: bool, a: AnySize, b: AnySize) -> AnySize:
    low, high = bounds(a - b)
    if low >= 0:
        return a if largest else b
    if high <= 0:
        return b if largest else a
    raise _Undecided


def _chosen(condition: AnySize, on_true: AnySize, on_false: AnySize) -> AnySize:
    if on_true == on_false:
        return on_true
    low, high = bounds(condition)
    if low > 0 or high < 0:
        return on_true
    if low == high == 0:
        return on_false
    raise _Undecided


def _compared(predicate: str, a: AnySize, b: AnySize) -> int:
    """1 or 0. Raises: _Undecided if it is not the same for all extents."""
    low, high = bounds(a - b)
    always = {"lt": high < 0, "le": high <= 0, "gt": low > 0, "ge": low >= 0, "eq": low == high == 0}
    never = {"lt": low >= 0, "le": low > 0, "gt": high <= 0, "ge": high < 0, "eq": low > 0 or high < 0}
    always["ne"], never["ne"] = never["eq"], always["eq"]
    if always[predicate] or never[predicate]:
        return int(always[predicate])
    raise _Undecided


_ARITHMETIC: Mapping[type[Operation], Callable[..., Any]] = {
    graph.AddOp: operator.add,
    graph.SubOp: operator.sub,
    graph.MulOp: operator.mul,
    graph.NegOp: operator.neg,
    graph.DivOp: _divided,
    graph.MaxOp: partial(_extreme, True),
    graph.MinOp: partial(_extreme, False),
}
