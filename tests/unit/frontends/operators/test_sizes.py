"""Sizes are polynomials: what they say of equality, order and quotients holds for all extents in their ranges."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import product

import pytest
from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import Block

from mlc.frontends.operators.sizes import (
    AnySize,
    ExtentSymbol,
    Minimum,
    Quotient,
    SymbolicSize,
    bounds,
    divided,
    in_symbols,
    larger,
    smaller,
    symbols_in,
)
from mlc.testing.repetitions import repetitions

_RANGES = ((1, 5), (0, 3), (2, 9))
_BLOCK = Block(arg_types=[TensorType(i64, [])] * len(_RANGES))
SYMBOLS = [ExtentSymbol(v, *ends) for v, ends in zip(_BLOCK.args, _RANGES, strict=True)]
for name, argument in zip("abc", _BLOCK.args, strict=True):
    argument.name_hint = name
A, B, C = map(SymbolicSize.of, SYMBOLS)


def value_of(size: AnySize, given: Mapping[ExtentSymbol, int]) -> int:
    """A size for some extents, computed by itself."""
    if not isinstance(size, SymbolicSize):
        return size
    total = 0
    for monomial, coefficient in size.terms:
        for factor, power in monomial:
            if isinstance(factor, ExtentSymbol):
                coefficient *= given[factor] ** power
            elif isinstance(factor, Minimum):
                coefficient *= min(value_of(each, given) for each in factor.sizes) ** power
            else:
                coefficient *= (value_of(factor.whole, given) // factor.divisor) ** power
        total += coefficient
    return total


def all_extents() -> list[dict[ExtentSymbol, int]]:
    ranges = [range(low, high + 1) for low, high in _RANGES]
    return [dict(zip(SYMBOLS, each, strict=True)) for each in product(*ranges)]


EXTENTS = all_extents()


def random_size(rng: random.Random, depth: int = 3) -> AnySize:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([A, B, C, rng.randint(-3, 4)])
    left, right = random_size(rng, depth - 1), random_size(rng, depth - 1)
    kind = rng.choice("+-*/<>")
    if kind in "<>":
        return smaller(left, right) if kind == "<" else larger(left, right)
    if kind == "/":
        try:
            return left // rng.randint(1, 4)
        except ValueError:
            return left
    return left + right if kind == "+" else left - right if kind == "-" else left * right


def test_the_larger_one_is_not_larger_than_both() -> None:
    assert bounds(larger(A, C)) == (2, 9)
    assert bounds(larger(larger(A, B), C))[1] == 9
    assert bounds(larger(A, C) - A) == (0, 8)


def test_arithmetic_is_that_of_the_extents() -> None:
    rng = random.Random(0)
    for _ in repetitions(300, 60):
        a, b = random_size(rng), random_size(rng)
        divisor = rng.randint(1, 4)
        for given in rng.sample(EXTENTS, 20):
            x, y = value_of(a, given), value_of(b, given)
            assert value_of(a + b, given) == x + y
            assert value_of(a - b, given) == x - y
            assert value_of(a * b, given) == x * y
            if bounds(a)[0] >= 0:
                assert value_of(a // divisor, given) == x // divisor


def test_bounds_hold_and_are_those_of_one_symbol() -> None:
    rng = random.Random(1)
    for _ in repetitions(300, 60):
        size = random_size(rng)
        low, high = bounds(size)
        values = [value_of(size, given) for given in EXTENTS]
        assert low <= min(values)
        assert max(values) <= high
    assert bounds(A * 2 - 3) == (-1, 7)
    assert bounds(A - A) == (0, 0)
    assert bounds(A // 2 - A)[1] < 0
    assert bounds((A + 1) // 2 - A)[1] <= 0


def test_what_is_smaller_is_so_for_all_extents() -> None:
    rng = random.Random(2)
    for _ in repetitions(300, 60):
        a, b = random_size(rng), random_size(rng)
        least, most = smaller(a, b), larger(a, b)
        for given in EXTENTS:
            x, y = value_of(a, given), value_of(b, given)
            assert (value_of(least, given), value_of(most, given)) == (min(x, y), max(x, y))
    assert smaller(A, A + 1) == A
    assert smaller(A, B) == smaller(B, A)
    assert smaller(A - 3, 0) == smaller(A, 3) - 3
    assert smaller(smaller(A, B), B) == smaller(A, B)
    assert larger(smaller(A, 3), 3) == 3
    assert bounds(A - smaller(A, 3)) == (0, 2)
    assert bounds(3 - smaller(A, 3))[0] == 0
    assert bounds(smaller(A, B) + smaller(A, C) - 2 * A)[1] <= 0
    assert in_symbols(smaller(A, 3) * 2) == "2*min(3, a)"


def test_a_quotient_times_its_divisor_is_the_size() -> None:
    rng = random.Random(3)
    found, times = 0, repetitions(300, 60)
    for _ in times:
        size, divisor = random_size(rng), rng.choice([A, A * C, 2 * A, 3, B * B, random_size(rng)])
        if divisor == 0:
            continue
        if (quotient := divided(size * divisor, divisor)) is not None:
            found += 1
            assert quotient == size
    assert found > len(times) // 3 * 2
    assert divided(A + B, A) is None
    assert divided(A * 3, 2) is None
    assert divided(A + B, A + B) == 1
    assert divided((A // 2 + 1) * C * 512, A // 2 + 1) == C * 512
    assert divided(A * A - B * B, A - B) == A + B
    assert divided(A * A + B * B, A + B) is None
    assert divided(A, 0) is None


def test_divisions_that_may_round_either_way_are_none() -> None:
    with pytest.raises(ValueError, match="round up or down"):
        _ = (A - 3) // 2
    with pytest.raises(ValueError, match="round up or down"):
        _ = A // 0
    assert (A * 4 + 5) // 2 == A * 2 + 2
    odd = A + 1
    assert isinstance(odd, SymbolicSize)
    assert odd // 2 == SymbolicSize.of(Quotient(odd, 2))


def test_sizes_in_words() -> None:
    assert in_symbols(A * B * 2 + C - 1) == "2*a*b + c - 1"
    assert in_symbols((A + 1) // 2) == "((a + 1) / 2)"
    assert in_symbols(2 - 3 * A) == "-3*a + 2"
    assert in_symbols((B * 3 // 2 + 1) // 4 + A) == "((" + "(3*b / 2) + 1) / 4) + a"
    assert in_symbols(7) == "7"
    assert symbols_in(A * B // 3) == set(SYMBOLS[:2])
