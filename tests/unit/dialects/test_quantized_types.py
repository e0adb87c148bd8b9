"""What `!quant.uniform<...>` says, and what it may not say."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import StringAttr, bf16, f32, i8, i16
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.loop.dot import ui8
from mlc.dialects.quant import Quant
from mlc.dialects.quant.uniform import Uniform, uniform_of

_CLASS = next(kind for kind in Quant.attributes if kind.name == "quant.uniform")


def _of(text: str) -> Uniform:
    found = uniform_of(_CLASS(StringAttr(text)))  # pyright: ignore[reportCallIssue]
    assert found is not None
    return found


def test_one_scale() -> None:
    found = _of("u8<1:200>:f32, 1.500000e-01:3")
    assert found == Uniform(False, 8, 1, 200, f32, None, (0.15,), (3,))
    assert found.storage == ui8


def test_scales_of_an_axis() -> None:
    found = _of(" i16 : bf16 : 2 , { 0.5 , 2.0:-7 }")
    assert found == Uniform(True, 16, -(2**15), 2**15 - 1, bf16, 2, (0.5, 2.0), (0, -7))
    assert found.storage == i16


def test_fewer_bits_take_a_byte() -> None:
    assert _of("i4:f32, 0.5").storage == i8
    assert (_of("i4:f32, 0.5").least, _of("u2:f32, 0.5").most) == (-8, 3)


def test_other_types_are_none() -> None:
    assert uniform_of(f32) is None
    other = next(kind for kind in Quant.attributes if kind.name == "quant.any")
    assert uniform_of(other(StringAttr("i8"))) is None  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("i8:f32", "required: integers:floats, scale:zero point, or scales of one axis in braces"),
        ("i8:i32, 0.1", "required: integers:floats"),
        ("i5:f32, 0.1", "integers have 5 bits; required: 2, 4, 8, 16 or 32"),
        ("i8<-129:5>:f32, 0.1", "integers are from -129 to 5; required: within -128 to 127"),
        ("u8<9:9>:f32, 0.1", "integers are from 9 to 9"),
        ("i8:f32, {0.1, 0.2}", "scales in braces have an axis, and one scale has none"),
        ("i8:f32:1, 0.1", "scales in braces have an axis"),
        ("i8:f32, -0.1", "scales are positive numbers"),
        ("i8:f32, 0.0", "scales are positive numbers"),
        ("i8:f32, 1e999", "scales are positive numbers"),
        ("i8:f32, 1e", "scales are positive numbers"),
        ("i8:f32:0, {0.1, x}", "scales are positive numbers"),
        ("u8:f32, 0.1:-1", "zero points are integers from 0 to 255"),
    ],
)
def test_what_is_not_allowed(text: str, message: str) -> None:
    with pytest.raises(VerifyException, match=message):
        _of(text)
