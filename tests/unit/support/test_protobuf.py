"""Fields of messages are found where they are: numbers of all wire types, negative ones too."""

from __future__ import annotations

import struct

import pytest

from mlc.support.protobuf import BYTES, FIXED32, FIXED64, VARINT, fields, numbers

_NEGATIVE = b"\xff" * 9 + b"\x01"
"""-1, as all 64 bits of it."""


def test_all_wire_types() -> None:
    data = memoryview(
        b"\x08\x96\x01"
        + b"\x15"
        + struct.pack("<f", 1.5)
        + b"\x19"
        + struct.pack("<d", 2.5)
        + b"\x22\x02hi"
        + b"\x28\x07"
    )
    found = [(f.tag, f.wire, bytes(data[f.start : f.end])) for f in fields(data, 0, len(data))]
    assert found == [
        (1, VARINT, b"\x96\x01"),
        (2, FIXED32, struct.pack("<f", 1.5)),
        (3, FIXED64, struct.pack("<d", 2.5)),
        (4, BYTES, b"hi"),
        (5, VARINT, b"\x07"),
    ]
    assert [f.number for f in fields(data, 0, len(data)) if f.wire == VARINT] == [150, 7]


def test_numbers_are_signed_whether_they_are_packed_or_not() -> None:
    one, packed = memoryview(b"\x08" + _NEGATIVE), memoryview(b"\x0a\x0c" + b"\x05" + _NEGATIVE + b"\x03")
    assert [n for f in fields(one, 0, len(one)) for n in numbers(one, f)] == [-1]
    assert [n for f in fields(packed, 0, len(packed)) for n in numbers(packed, f)] == [5, -1, 3]


@pytest.mark.parametrize("length", [1, 4, 6, 9])
def test_what_is_cut_off_is_an_error(length: int) -> None:
    data = memoryview((b"\x08\x96\x01" + b"\x22\x02hi" + b"\x15" + struct.pack("<f", 1))[:length])
    with pytest.raises(ValueError, match="it is cut off"):
        list(fields(data, 0, len(data)))
