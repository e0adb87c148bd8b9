"""The bits of f80 against NumPy's, where that has the type; those of f128 against their definition in fractions."""

import math
import random
import struct
from fractions import Fraction

import numpy as np
import pytest
from xdsl.dialects.builtin import Float80Type, Float128Type, f80, f128

from mlc.support.wide_floats import bits_of, value_of, written

NUMBERS = [0.0, -0.0, 1.0, -1.5, 0.1, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308, math.inf, -math.inf]


def drawn() -> list[float]:
    """Numbers of all magnitudes."""
    draw = random.Random(7)
    return NUMBERS + [struct.unpack("<d", draw.randbytes(8))[0] for _ in range(500)]


@pytest.mark.skipif(np.finfo(np.longdouble).nmant != 63, reason="this machine's long double is not x87's")
def test_f80_has_the_bits_of_a_long_double() -> None:
    for value in drawn():
        if not math.isnan(value):
            expected = int.from_bytes(np.longdouble(value).tobytes()[:10], "little")
            assert bits_of(value, f80) == expected, value


def test_f128_is_what_its_bits_say() -> None:
    for value in drawn():
        if math.isfinite(value) and value:
            bits = bits_of(value, f128)
            exponent, fraction = bits >> 112 & 0x7FFF, bits & (1 << 112) - 1
            meant = (1 + Fraction(fraction, 1 << 112)) * Fraction(2) ** (exponent - 16383)
            assert (-meant if bits >> 127 else meant) == Fraction(value)


@pytest.mark.parametrize("kind", [f80, f128], ids=str)
def test_values_and_texts_come_back(kind: Float80Type | Float128Type) -> None:
    for value in drawn():
        back = value_of(bits_of(value, kind), kind)
        assert back is not None
        if math.isnan(value):
            assert math.isnan(back)
            continue
        assert struct.pack("<d", back) == struct.pack("<d", value)
        text = written(value, kind)
        assert (value_of(int(text, 16), kind) if text.startswith("0x") else float(text)) == value


@pytest.mark.parametrize(
    ("bits", "kind"),
    [
        (0x3FFF8000000000000001, f80),  # 1 and the last of 63 bits behind the point
        (0x7FFE8000000000000000, f80),  # too large
        (0x00000000000000000001, f80),  # too small
        (0x3FFF0000000000000000000000000001, f128),
        (0x7FFE0000000000000000000000000000, f128),
        (0x00000000000000000000000000000001, f128),
    ],
)
def test_other_bits_have_no_value(bits: int, kind: Float80Type | Float128Type) -> None:
    assert value_of(bits, kind) is None
