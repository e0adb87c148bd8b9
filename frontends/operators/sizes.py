"""Sizes that are known at the call: polynomials over the extents that inputs have then.

What models compute of shapes (`Shape`, `Gather`, `Mul`, `Concat`, …) is computed here with symbols. Two sizes are equal
for all extents in their ranges if their polynomials are. Integer divisions that leave a remainder are symbols of their
own, `(n - 1) / 2`, and so is the smaller one of two sizes, where none always is. Numbers of no symbol are Python's
integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor, prod
from typing import Any

from numpy.typing import NDArray
from xdsl.ir import SSAValue

from mlc.dialects import graph


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
    is_data: bool = False
    """Whether the model computes it, rather than that a call gives it."""

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


@dataclass(frozen=True)
class Minimum:
    """The smaller one of two sizes, which depends on the extents."""

    sizes: frozenset[AnySize]


SizeFactor = ExtentSymbol | Quotient | Minimum
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
_MOST_WAYS = 16
"""So many bounds of one size are looked at."""
_MOST_MINIMA = 3
"""Of sizes with so many minima, each case is looked at."""
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
    if any(not isinstance(factor, ExtentSymbol) for monomial, _ in size.terms for factor, _ in monomial):
        low = max([low, *(_interval(each)[0] for each in _of_symbols(size, False))])
        high = min([high, *(_interval(each)[1] for each in _of_symbols(size, True))])
        if by_minimum := _by_minimum(size):
            cases, is_added = by_minimum
            lows, highs = zip(*map(bounds, cases), strict=True)
            low = max(low, min(lows) if is_added else max(lows))
            high = min(high, min(highs) if is_added else max(highs))
    return ceil(low), floor(high)


def _by_minimum(size: SymbolicSize) -> tuple[list[AnySize], bool] | None:
    """The sizes that a size is one of, with each that a minimum in it may be: not more than any of them if the minimum
    is added, not less if it is subtracted. None where there is no minimum, or there are too many."""
    if sum(isinstance(factor, Minimum) for factor in factors_in(size)) > _MOST_MINIMA:
        return None
    alone = ((monomial, number) for monomial, number in size.terms if len(monomial) == 1)
    found = [
        (f, number) for monomial, number in alone for f, power in monomial if isinstance(f, Minimum) and power == 1
    ]
    if not found:
        return None
    factor, number = max(found, key=lambda each: (len(shown := _factor_in_symbols(each[0])), shown))
    return [size + (each - SymbolicSize.of(factor)) * number for each in factor.sizes], number > 0


def _interval(terms: Mapping[Monomial, Rational]) -> tuple[Rational, Rational]:
    """The sums of the least and of the greatest values of terms."""
    low = high = Fraction(0)
    for monomial, coefficient in terms.items():
        ends = [prod(each) * coefficient for each in product(*(_bounds_of(f) for f, p in monomial for _ in range(p)))]
        low, high = low + min(ends), high + max(ends)
    return low, high


def _of_symbols(size: SymbolicSize, above: bool) -> list[dict[Monomial, Rational]]:
    """Polynomials that are not less than a size, or not more: `n / d`, rounded down, is from `(n - d + 1) / d` to
    `n / d`, so that `n / 2 - n` is known to be negative; the smaller one of `n` and 5 is neither more than `n` nor more
    than 5. Quotients and the like in products stay."""
    found: list[dict[Monomial, Rational]] = []
    begun: list[tuple[dict[Monomial, Rational], list[tuple[Monomial, Rational]]]] = [({}, list(size.terms))]
    while begun:
        terms, pending = begun.pop()
        if not pending:
            found.append(terms)
            continue
        monomial, coefficient = pending.pop()
        ((factor, power),) = monomial if len(monomial) == 1 else ((None, 0),)
        if isinstance(factor, Quotient) and power == 1:
            share = Fraction(coefficient) / factor.divisor
            pending += [(inner, share * number) for inner, number in factor.whole.terms]
            if (coefficient > 0) != above:
                pending.append((frozenset(), share * (1 - factor.divisor)))
            begun.append((terms, pending))
        elif isinstance(factor, Minimum) and power == 1 and (coefficient > 0) == above:
            for each in sorted(factor.sizes, key=in_symbols)[: 2 if len(begun) + len(found) < _MOST_WAYS else 1]:
                more = [(inner, coefficient * number) for inner, number in _terms(each).items()]
                begun.append((dict(terms), pending + more))
        else:
            terms[monomial] = terms.get(monomial, Fraction(0)) + coefficient
            begun.append((terms, pending))
    return found


def _bounds_of(factor: SizeFactor) -> tuple[int, int]:
    if isinstance(factor, ExtentSymbol):
        return factor.least, factor.most
    if isinstance(factor, Minimum):
        lows, highs = zip(*map(bounds, factor.sizes), strict=True)
        return min(lows), min(highs)
    low, high = bounds(factor.whole)
    return low // factor.divisor, high // factor.divisor


def smaller(a: AnySize, b: AnySize) -> AnySize:
    """The smaller one of two sizes. `min(n - 5, 0)` is `min(n, 5) - 5`, so that equal ones are the same."""
    low, high = bounds(a - b)
    if low >= 0 or high <= 0:
        return b if low >= 0 else a
    less = min(_terms(size).get(frozenset(), 0) for size in (a, b))
    return SymbolicSize.of(Minimum(frozenset([a - less, b - less]))) + less


def larger(a: AnySize, b: AnySize) -> AnySize:
    """The larger one of two sizes."""
    return a + b - smaller(a, b)


def divided(size: AnySize, divisor: AnySize) -> AnySize | None:
    """The polynomial that is the quotient of two; None if it leaves a remainder.

    It is long division: monomials are ordered by the powers of their factors, which multiplication keeps, so what is
    left of a multiple of the divisor begins with a multiple of its first term.
    """
    left, terms = Counter(_terms(size)), _terms(divisor)
    factors = list({factor for monomial in (*left, *terms) for factor, _ in monomial})

    def order(monomial: Monomial) -> list[int]:
        powers = dict(monomial)
        return [powers.get(factor, 0) for factor in factors]

    first = max(terms, key=order)
    if not terms[first]:
        return None
    found: dict[Monomial, int] = {}
    while left := Counter({monomial: number for monomial, number in left.items() if number}):
        most = max(left, key=order)
        powers = Counter(dict(most))
        powers.subtract(dict(first))
        number, remainder = divmod(left[most], terms[first])
        if remainder or any(power < 0 for power in powers.values()):
            return None
        quotient = frozenset((factor, power) for factor, power in powers.items() if power)
        found[quotient] = number
        left.subtract(_terms(_size({quotient: number}) * divisor))
    return _size(found)


def in_symbols(size: AnySize) -> str:
    """A size in words: `2*seq + 1`."""
    if not isinstance(size, SymbolicSize):
        return str(size)
    found = ""
    spelled = [
        (sorted(_factor_in_symbols(f) for f, power in monomial for _ in range(power)), coefficient)
        for monomial, coefficient in size.terms
    ]
    for factors, coefficient in sorted(spelled, key=lambda term: (-len(term[0]), -term[1], term[0])):
        shown = "*".join([str(abs(coefficient)), *factors] if abs(coefficient) != 1 or not factors else factors)
        sign = ("-" if coefficient < 0 else "") if not found else " - " if coefficient < 0 else " + "
        found += f"{sign}{shown}"
    return found


def _factor_in_symbols(factor: SizeFactor) -> str:
    if isinstance(factor, ExtentSymbol):
        name = factor.value.name_hint or ("count" if factor.is_data else "?")
        return name if factor.step == 1 else f"(({name} - {factor.start}) / {factor.step})"
    if isinstance(factor, Minimum):
        return f"min({', '.join(sorted(map(in_symbols, factor.sizes)))})"
    whole = in_symbols(factor.whole)
    return f"({f'({whole})' if len(factor.whole.terms) > 1 else whole} / {factor.divisor})"


def factors_in(size: AnySize) -> set[SizeFactor]:
    """The factors of a size, and of what these are made of."""
    found: set[SizeFactor] = set()
    pending = [size]
    while pending:
        size = pending.pop()
        for monomial, _ in size.terms if isinstance(size, SymbolicSize) else ():
            for factor, _ in monomial:
                found.add(factor)
                if isinstance(factor, Minimum):
                    pending += factor.sizes
                elif isinstance(factor, Quotient):
                    pending.append(factor.whole)
    return found


def symbols_in(size: AnySize) -> set[ExtentSymbol]:
    """The extents that a size depends on."""
    return {factor for factor in factors_in(size) if isinstance(factor, ExtentSymbol)}


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
    if isinstance(factor, Minimum):
        return add(graph.MinOp, *(written(each, add, number) for each in sorted(factor.sizes, key=in_symbols)))
    return add(graph.DivOp, written(factor.whole, add, number), number(factor.divisor))
