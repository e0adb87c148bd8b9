"""remf, which is exact, by long division: each step takes some bits of the quotient, the highest ones first.

A step has r < 2^k d, where d is the divisor times a power of two. The quotient q = trunc(r / d), of k bits, may be too
large by one, because r / d is rounded; then r - q d is negative, and d is added again. Nothing else is rounded:

- An f32 is computed in f64, where k = 28: q d has 28 + 1 + 24 bits.
- Of an f64, d is split into the 26 bits of d1 and the 27 bits of d2, and k = 26: q d1 and q d2 have 53 bits at most.
  r - q d1 is a multiple of the last place of r and not larger than r, and r - q d is one of the last place of d and not
  larger than d.

The steps cover all exponents, so that no branch depends on the numbers.
"""

from __future__ import annotations

from mlc.polynomials.builder import F32, Number, where


def remf(x: Number, y: Number) -> Number:
    """|x| rem |y| with the sign of x."""
    dividend, divisor = abs(x), abs(y)
    if x.format == F32:
        return _remainder(dividend.to_f64(), divisor.to_f64(), 28, 10, split=False).to_f32().with_sign_of(x)
    return _remainder(dividend, divisor, 26, 81, split=True).with_sign_of(x)


def _remainder(r: Number, divisor: Number, bits: int, steps: int, *, split: bool) -> Number:
    """`steps` times `bits` are as many as the quotient can have.

    Where d is larger than r, which it also is where it overflowed, r stays. NaN comes out if an operand is NaN, if r is
    infinite, and if the divisor is 0: then q is NaN or infinite, and r - q d is NaN.
    """
    divisors = [divisor]
    for _ in range(steps - 1):
        divisors.append(divisors[-1] * 2.0**bits)
    for d in reversed(divisors):
        q = (r / d).trunc()
        if split:
            first = d.high_half()
            rest = (r - q * first) - q * (d - first)
        else:
            rest = r - q * d
        rest = where(rest < 0.0, rest + d, rest)
        r = where(d > r, r, rest)
    return r
