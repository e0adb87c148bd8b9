"""Data of constants is written as xDSL writes it, and much of one number takes no time."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from xdsl.dialects.builtin import (
    BFloat16Type,
    BytesAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    IntegerType,
    TensorType,
    f32,
    i1,
    i32,
)
from xdsl.printer import Printer

from mlc.support.dense_data import print_data

_NAN = b"\x00\x00\xc0\x7f"
_ONE = b"\x00\x00\x80\x3f"


def _written(type: Any, shape: list[int], data: bytes) -> tuple[str, str]:
    """The text, and that of xDSL."""
    elements = DenseIntOrFPElementsAttr[Any](TensorType(type, shape), BytesAttr(data))
    ours, theirs = StringIO(), StringIO()
    print_data(Printer(ours), elements)
    elements.print_without_type(Printer(theirs))
    return ours.getvalue(), theirs.getvalue()


@pytest.mark.parametrize(
    ("type", "data"),
    [
        (f32, _ONE),
        (f32, _NAN),
        (f32, b"\x00\x00\x80\x7f"),
        (f32, b"\x00\x00\x00\x80"),
        (BFloat16Type(), b"\x80\x3f"),
        (i1, b"\x01"),
        (i32, b"\xff\xff\xff\xff"),
        (IntegerType(8), b"\x80"),
        (ComplexType(f32), _ONE + _NAN),
        (ComplexType(f32), _ONE + _ONE),
    ],
)
def test_repeated_numbers_are_written_as_xdsl_does(type: Any, data: bytes) -> None:
    for shape, count in (([], 1), ([1], 1), ([3], 3), ([2, 2], 4), ([0], 0), ([101], 101)):
        ours, theirs = _written(type, shape, data * count)
        assert ours == theirs
    if len(data) > 1:
        ours, theirs = _written(type, [3], data * 2 + data[::-1])
        assert ours == theirs


def test_zeros_of_two_signs_stay_two() -> None:
    assert _written(f32, [2], b"\x00\x00\x00\x80" + bytes(4)) == ('dense<"0x0000008000000000">', "dense<-0.000000e+00>")
    ours, theirs = _written(f32, [2], b"\x00\x00\x80\x80" + bytes(4))
    assert ours == theirs


def test_much_of_one_number_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    def counting(self: DenseIntOrFPElementsAttr[Any]) -> tuple[Any, ...]:
        unpacked.append(len(self))
        return get_values(self)

    unpacked: list[int] = []
    get_values = DenseIntOrFPElementsAttr.get_values
    monkeypatch.setattr(DenseIntOrFPElementsAttr, "get_values", counting)
    elements = DenseIntOrFPElementsAttr[Any](TensorType(f32, [1000]), BytesAttr(_ONE * 1000))
    print_data(Printer(stream := StringIO()), elements)
    assert stream.getvalue() == "dense<1.000000e+00>"
    assert set(unpacked) == {1}
