"""Extents that are computed of others are never less than these, whatever the integers are."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import Block, SSAValue

from mlc.passes.tensor._known_scalars import Extent, Share
from mlc.passes.tensor._needs import Readers

_BLOCK = Block(arg_types=[TensorType(i64, [])] * 3)
_VALUES: list[SSAValue] = [*_BLOCK.args]
N, M, K = _VALUES
"""`k` is computed of `m`, which is computed of `n`."""


def _number(extent: Extent, values: Mapping[SSAValue, int]) -> int:
    if extent.is_start:
        blocks = max(values[extent.symbol] + extent.plus, 0) // (extent.over * extent.multiple)
        return blocks * extent.multiple * extent.factor
    parts = -(-(values[extent.symbol] + extent.plus) // extent.over)
    return -(-parts // extent.multiple) * extent.multiple * extent.factor


def _drawn(rng: random.Random, symbol: SSAValue, is_start: bool = False) -> Extent:
    multiple = rng.choice([1, 1, 8])
    return Extent(symbol, rng.randint(0, 9), rng.randint(1, 4), rng.randint(1, 4), multiple, is_start)


def _share(rng: random.Random, of: SSAValue) -> Share:
    return Share(Extent(of, rng.randint(0, 3)), rng.randint(1, 3), rng.randint(1, 4), rng.randint(0, 3))


def _most(share: Share, value: int) -> int:
    return (value + share.extent.plus) * share.times // share.divisor + share.more


def test_what_is_computed_of_extents() -> None:
    rng = random.Random(0)
    for _ in range(3000):
        extent, number = _drawn(rng, N), Fraction(rng.randint(1, 5), rng.randint(1, 4))
        more = rng.randint(-6, 9)
        for n in range(12, 30):
            found = _number(extent, {N: n})
            assert _number(extent.times(number), {N: n}) >= found * number
            assert _number(extent.beyond(more), {N: n}) >= found + more


def test_two_extents() -> None:
    rng = random.Random(1)
    for _ in range(2000):
        shares = {M: _share(rng, N), K: _share(rng, M)}
        readers = Readers({N: 12}, shares, 8)
        one, other = (_drawn(rng, rng.choice([N, M, K])) for _ in range(2))
        joint = readers.joint(one, other)
        assert joint is not None
        for n in range(12, 24):
            m = _most(shares[M], n)
            values = {N: n, M: m, K: _most(shares[K], m)}
            assert _number(joint, values) >= max(_number(one, values), _number(other, values))
    assert Readers({}, {}, 8).joint(Extent(N), Extent(M)) is None


def test_starts() -> None:
    """They are never more: what is before them is left out."""
    rng = random.Random(2)
    readers = Readers({}, {}, 8, of_starts=True)
    for _ in range(600):
        start, number = _drawn(rng, N, True), Fraction(rng.randint(1, 5), rng.randint(1, 4))
        other, more = replace(start, plus=rng.randint(-30, 9), multiple=rng.choice([1, 8])), rng.randint(-6, 9)
        joint = readers.joint(start, other)
        assert joint is not None
        for n in range(12, 30):
            found = _number(start, {N: n})
            assert _number(start.times(number), {N: n}) <= found * number
            assert _number(start.beyond(more), {N: n}) <= max(found + more, 0)
            assert _number(joint, {N: n}) <= min(found, _number(other, {N: n}))
    assert readers.joint(Extent(N, is_start=True), Extent(M, is_start=True)) is None
    assert Extent(N, 3, is_start=True).times(2).beyond(5) == Extent(N, 5, 2, is_start=True)


def test_integers_that_may_be_negative() -> None:
    """Their divisions are rounded up, which is not what the extents of what they are computed of say."""
    half = {M: Share(Extent(N, -20), 3, 2, 40)}
    assert Readers({N: 20}, half, 8).joint(Extent(M), Extent(N)) == Extent(N, 7, 3, 2)
    assert Readers({N: 19}, half, 8).joint(Extent(M), Extent(N)) is None
    assert Readers({}, half, 8).joint(Extent(M), Extent(N)) is None
    deeper = {**half, K: Share(Extent(M, -40), 1, 2)}
    assert Readers({N: 22}, deeper, 8).of_inputs(Extent(K)).symbol is N
    assert Readers({N: 20}, deeper, 8).of_inputs(Extent(K)) == Extent(K)


def test_fractions_of_extents_are_exact_where_they_can_be() -> None:
    assert Extent(N).times(4).times(Fraction(1, 2)) == Extent(N, 0, 2)
    assert Extent(N).times(Fraction(1, 2)) == Extent(N, 0, 1, 2)
    assert Extent(N).times(Fraction(1, 2)).times(Fraction(1, 3)) == Extent(N, 0, 1, 6)
    assert Extent(N, 3).times(2).beyond(-2) == Extent(N, 2, 2)
    assert Readers({N: 32}, {M: Share(Extent(N, -32), 8, 32, 8)}, 8).of_inputs(Extent(M, 0, 4)) == Extent(N, 0, 4, 4)
