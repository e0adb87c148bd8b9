"""The wire format of Protocol Buffers, as far as finding fields needs it: nothing is copied, fields are ranges.

Source: https://protobuf.dev/programming-guides/encoding/. The library of protobuf copies whole messages into memory; a
model's weights are to stay in their file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
"""The wire types that are in use."""


@dataclass(frozen=True)
class Field:
    """One field of a message: `number` is its own, or the `length` bytes from `start` on are its value."""

    tag: int
    """Its number in the definition of the message."""
    wire: int
    begin: int
    """Where the field begins, its tag included."""
    start: int
    """Where its value begins."""
    end: int
    number: int = 0
    """The value of a varint."""


def fields(data: memoryview, start: int, end: int) -> Iterator[Field]:
    """The fields of the message in `data[start:end]`, in order.

    Raises:
        ValueError: the bytes are not a message, or the message is cut off.
    """
    position = start
    while position < end:
        begin = position
        key, position = varint(data, position, end)
        tag, wire = key >> 3, key & 7
        number = 0
        if wire == VARINT:
            value = position
            number, position = varint(data, position, end)
        elif wire == BYTES:
            length, value = varint(data, position, end)
            position = value + length
        elif wire in (FIXED32, FIXED64):
            value = position
            position += 4 if wire == FIXED32 else 8
        else:
            raise ValueError(f"byte {begin} starts no field of a message")
        if tag == 0 or position > end:
            raise ValueError(f"it has {end} bytes, and a field needs {position}: it is cut off")
        yield Field(tag, wire, begin, value, position, number)


def varint(data: memoryview, position: int, end: int) -> tuple[int, int]:
    """The unsigned number at `position`, seven bits per byte, and where it ends.

    Raises:
        ValueError: it does not end.
    """
    result = shift = 0
    while position < end and shift < 70:
        byte = data[position]
        position += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result & 0xFFFF_FFFF_FFFF_FFFF, position
        shift += 7
    raise ValueError(f"the number at byte {position} does not end: it is cut off")


def signed(number: int) -> int:
    """A varint as the signed 64-bit number that it stands for."""
    return number - (1 << 64) if number >> 63 else number


def numbers(data: memoryview, field: Field) -> Iterator[int]:
    """The signed numbers of a repeated integer field, whether it is packed or not.

    Raises:
        ValueError: they are cut off.
    """
    if field.wire == VARINT:
        yield signed(field.number)
        return
    position = field.start
    while position < field.end:
        number, position = varint(data, position, field.end)
        yield signed(number)
