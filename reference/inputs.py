"""Random inputs that are to find what a function computes wrongly: several draws, each looking for something else.

Most of what a network computes happens between -2 and 2, where sums stay comparable to the last bits; but a clamp at 6
shows only beyond it, a factor of 1e-30 only where an exponential is large, and `0.5 * (x + |x|)` is relu for every
number and not for infinities. One infinity or NaN at the wrong place hides all numbers that it is summed with, so most
draws have none, and one has a single one in each input.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from mlc.reference.execution import Array
from mlc.support.dtypes import bits_of, is_stored, limits_of
from mlc.support.input_values import AllowedValues

InputKind = Literal["ordinary", "magnitudes", "one special", "specials", "given"]

_MUCH_WORK = ((500_000, 2), (5_000_000, 1))
"""How many draws are left for a function whose run computes more elements than this."""


@dataclass(frozen=True)
class Draw:
    """One draw of all inputs of a function.

    - `ordinary`: floats in [-2, 2), integers from -`integers` to `integers`.
    - `magnitudes`: floats of either sign from 2^-12 to 2^12, with a few zeros of either sign and subnormals among them;
      integers of any number of bits.
    - `one special`: as `ordinary`, with an infinity, a NaN or the extreme of an integer at one place of each input.
    - `specials`: half of the elements, or all of a few, are zeros, ones, infinities, NaN, subnormals, the largest and
      smallest numbers.

    - `given`: not drawn, but what somebody gave.

    Booleans, and types of codes, are random in all of them.
    """

    kind: InputKind
    number: int = 0
    """Tells draws of one kind apart; those of `specials` together take each special value for each input."""
    integers: int = 4
    """How far integers of an ordinary draw are from 0 at most."""

    @property
    def may_overflow(self) -> bool:
        """Whether a sum may overflow in one order of its terms and not in another."""
        return self.kind == "specials"

    @property
    def is_even(self) -> bool:
        """Whether numbers are of comparable sizes, so that no sum is much more exact than others."""
        return self.kind in ("ordinary", "one special", "given")

    def attempts(self) -> Iterator[Draw]:
        """The draw, and others for a function that has no meaning for it, whose integers are indices of small axes."""
        yield self
        if self.kind == "ordinary":
            yield from (replace(self, integers=most) for most in (1, 0))

    def __str__(self) -> str:
        return {
            "ordinary": "",
            "magnitudes": " for inputs of all magnitudes",
            "one special": " for inputs with one infinity, NaN or extreme",
            "specials": " for inputs full of special values",
            "given": " for the given inputs",
        }[self.kind]


def draws(elements: int, work: int) -> list[Draw]:
    """The draws for a function whose smallest input has so many elements, and a run of which is so much `work`.

    Small inputs have room for few special values, so there are more draws of these.
    """
    repeats = -(-len(_float_specials(np.dtype(np.float32))) // max(elements, 1))
    result = [Draw("ordinary"), Draw("one special"), Draw("magnitudes"), *(Draw("specials", i) for i in range(repeats))]
    return result[: affordable(work)]


def affordable(work: int) -> int | None:
    """How many draws may run of a function of so much work; None for all."""
    return next((count for most, count in reversed(_MUCH_WORK) if work > most), None)


def draw_inputs(
    seed: Sequence[int],
    types: Sequence[tuple[tuple[int, ...], np.dtype[Any]]],
    draw: Draw,
    values: Sequence[AllowedValues | None] = (),
) -> list[Array]:
    """An input for each shape and dtype, as `draw` describes them, or of `values`; `seed` and `draw` fix them."""
    rng = np.random.default_rng([*seed, *draw.kind.encode(), draw.number])
    padded = [*values, *([None] * len(types))]
    return [
        _drawn(rng, [*seed, i], *each, draw) if (allowed := padded[i]) is None else _of_values(rng, *each, allowed)
        for i, each in enumerate(types)
    ]


def _of_values(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any], allowed: AllowedValues) -> Array:
    found = rng.integers(allowed.least, allowed.most, shape, endpoint=True)
    found -= (found - allowed.least) % allowed.step
    if allowed.ascending and found.size:
        found.sort(-1)
        found[..., 0], found[..., -1] = allowed.least, allowed.most
    return found.astype(dtype)


def random_array(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any], integers: int = 4) -> Array:
    """Floats in [-2, 2), integers from -`integers` to `integers`, booleans; any code of types of 8 bits or less."""
    if is_stored(dtype):
        return rng.integers(0, 1 << bits_of(dtype), shape, np.uint8).view(dtype)
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        return rng.integers(-integers, integers + 1, shape).astype(dtype)
    return rng.uniform(-2, 2, shape).astype(dtype)


def _drawn(
    rng: np.random.Generator, seed: Sequence[int], shape: tuple[int, ...], dtype: np.dtype[Any], draw: Draw
) -> Array:
    array = random_array(rng, shape, dtype, draw.integers)
    if draw.kind == "ordinary" or dtype == np.bool_ or is_stored(dtype) or array.size == 0:
        return array
    is_integer = np.issubdtype(dtype, np.integer)
    if draw.kind == "magnitudes":
        return (_integer_magnitudes if is_integer else _float_magnitudes)(rng, shape, dtype)
    specials = _integer_specials(dtype) if is_integer else _float_specials(dtype)
    flat = np.reshape(array, -1)
    if draw.kind == "one special":
        flat[rng.integers(flat.size)] = specials[rng.integers(3)]
    else:
        # The same order in all draws, and another one for each input, so that different ones meet.
        order = np.random.default_rng(seed).permutation(specials)
        places = rng.random(flat.size) < (1 / 2 if flat.size > 4 * specials.size else 1)
        flat[places] = order[(draw.number * flat.size + np.arange(flat.size)) % specials.size][places]
    return np.reshape(flat, shape)


def _integer_magnitudes(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    with np.errstate(over="ignore"):  # of the sign's bit: a scalar says so, an array does not
        high = np.left_shift(np.int64(1), rng.integers(0, 8 * dtype.itemsize, shape)) - 1
    return (rng.integers(0, high, shape, endpoint=True) * rng.choice([-1, 1], shape)).astype(dtype)


def _integer_specials(dtype: np.dtype[Any]) -> Array:
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    return np.array([least, most, least + 1, most - 1, 0, -1 if least else 1, 1, 2], dtype)


def _float_magnitudes(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    array = (np.exp2(rng.uniform(-12, 12, shape)) * rng.choice([-1.0, 1.0], shape)).astype(dtype)
    limits = limits_of(dtype)
    small = np.array([0.0, -0.0, limits.smallest_subnormal, -limits.smallest_normal / 2, 1.0, -1.0], dtype)
    return np.where(rng.random(shape) < 1 / 8, rng.choice(small, shape), array)


def _float_specials(dtype: np.dtype[Any]) -> Array:
    limits = limits_of(dtype)
    small = [limits.smallest_subnormal, -limits.smallest_normal / 2, limits.smallest_normal]
    return np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, limits.max, limits.min, *small, 1.0, -1.0], dtype)
