"""Literals of dense attributes: nested lists of numbers, splats, and bytes in hexadecimal."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    BytesAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    ShapedType,
    Signedness,
)
from xdsl.ir import Attribute

from mlc.support.wide_floats import WIDE_FLOATS
from mlc.syntax.errors import Fault
from mlc.syntax.lexer import FRACTION
from mlc.syntax.state import real_of

if TYPE_CHECKING:  # imported only for long lists
    import numpy as np

_ELEMENTS = (IntegerType, IndexType, AnyFloat, ComplexType)
Element = int | float | bool | tuple[Any, Any]


@dataclass
class Text:
    """A list of decimal numbers (or of booleans) as it stands in the text."""

    text: str
    position: int


@dataclass
class Hex:
    """The bytes of all elements, or of one that stands for all."""

    data: bytes
    position: int


@dataclass
class Nested:
    """Elements in row-major order, and the shape that the brackets say ([] for a splat)."""

    values: list[Element]
    shape: list[int]


Literal = Text | Hex | Nested
_MOST_BYTES = 1 << 30
"""A number that stands for all elements of more bytes than this is refused: xDSL's attribute holds all of them."""

_PLAIN = re.compile(r"<(\[[\[\]\s,0-9eE+\-.]*)>").match
_PLAIN_NUMBER = rf"-?[0-9]++(?:{FRACTION})?"
_NUMBER = re.compile(rf"{_PLAIN_NUMBER}|true|false|[\[\],]")


def from_hex(text: str, position: int) -> Hex:
    """The bytes after `0x`. Raises Fault."""
    if text[:2] != "0x":
        raise Fault("a dense string starts with 0x", position)
    try:
        return Hex(bytes.fromhex(text[2:]), position)
    except ValueError:
        raise Fault("a dense string holds pairs of hexadecimal digits after 0x", position) from None


def nest(parts: Sequence[Nested]) -> Nested:
    """A list of literals. Raises Fault if they differ in shape."""
    shape = parts[0].shape
    for part in parts:
        if part.shape != shape:
            raise Fault(f"the lists in a dense literal differ in shape: {shape} and {part.shape}")
    return Nested(list(chain.from_iterable(p.values for p in parts)), [len(parts), *shape])


def attribute(
    literal: Literal | None, kind: Attribute, position: int, checked: bool = True
) -> DenseIntOrFPElementsAttr:
    """The attribute `dense<literal> : kind`, read with all rules if `checked` (`real_of`).

    Raises:
        Fault: the literal does not fit the type.
    """
    if not isinstance(kind, ShapedType) or not hasattr(kind, "element_type"):
        raise Fault(f"a dense literal is of a tensor, memref or vector type, got {kind}", position)
    element = cast(Attribute, cast(Any, kind).element_type)
    if not isinstance(element, _ELEMENTS):
        raise Fault(f"a dense literal has integer, index, float or complex elements, got {element}", position)
    if isinstance(_part(element), WIDE_FLOATS):
        raise Fault(f"a dense literal cannot have elements of type {element} here", position)
    shape = list(kind.get_shape())
    if DYNAMIC_INDEX in shape:
        raise Fault("a dense literal has a type of known sizes, got " + str(kind), position)
    count = prod(shape)
    if literal is None:
        if count:
            raise Fault(f"{kind} has {count} elements, got none", position)
        literal = Nested([], [0])
    size: int = cast(Any, element).compile_time_size
    if count * size > _MOST_BYTES and _is_splat(literal, size):
        reason = f"one number stands for {count} elements, more than {_MOST_BYTES >> 30} GiB"
        raise Fault(f"{reason}; broadcast a dense literal of fewer elements, as by graph.broadcast", position)
    if isinstance(literal, Text):
        if (data := _by_numpy(literal.text, shape, element, checked)) is not None:
            return _make(kind, data)
        literal = _by_hand(literal)
    if isinstance(literal, Hex):
        return _make(kind, _hex_data(literal, count, element, kind))
    if literal.shape and literal.values and literal.shape != shape:
        raise Fault(f"{kind} has shape {shape}, but the dense literal has shape {literal.shape}", position)
    if literal.shape and not literal.values and count:
        raise Fault(f"{kind} has {count} elements, got none", position)
    values = [_convert(v, element, position, checked) for v in literal.values]
    if not literal.shape:
        values *= count
    try:
        return DenseIntOrFPElementsAttr.from_list(cast(Any, kind), values)
    except (OverflowError, struct.error):
        raise Fault(f"a number in the dense literal does not fit {element}", position) from None


def _is_splat(literal: Literal, size: int) -> bool:
    """Whether a literal is one number of `size` bytes, not a list."""
    match literal:
        case Text():
            return "[" not in literal.text
        case Hex():
            return len(literal.data) == size
        case Nested():
            return not literal.shape


def _part(element: Attribute) -> Attribute:
    return cast(Any, element).element_type if isinstance(element, ComplexType) else element


def _make(kind: Attribute, data: bytes) -> DenseIntOrFPElementsAttr:
    return DenseIntOrFPElementsAttr(cast(Any, kind), BytesAttr(data))


def _hex_data(literal: Hex, count: int, element: Any, kind: Attribute) -> bytes:
    size: int = element.compile_time_size
    data = literal.data
    if len(data) == size:
        return data * count
    if len(data) != size * count:
        raise Fault(
            f"{kind} has {count} elements of {size} bytes, but the literal has {len(data)} bytes",
            literal.position,
        )
    return data


def _convert(value: Element, element: Attribute, position: int, checked: bool) -> Any:
    if isinstance(element, ComplexType):
        if not isinstance(value, tuple):
            raise Fault("expected complex elements such as (1.0, 2.0)", position)
        return tuple(_convert(part, cast(Any, element).element_type, position, checked) for part in value)
    if isinstance(value, tuple):
        raise Fault(f"complex elements do not fit {element}", position)
    if isinstance(element, AnyFloat):
        return real_of(value, element, position, checked)
    if isinstance(value, float):
        raise Fault(f"numbers with fractions do not fit {element}", position)
    if isinstance(value, bool) and element != IntegerType(1):
        raise Fault(f"booleans do not fit {element}", position)
    if isinstance(element, IntegerType):
        if _is_unsigned(cast(Attribute, element)) and value < 0:
            raise Fault(f"a negative number does not fit {element}", position)
        element.verify_value(int(value))
    return int(value)


def _is_unsigned(element: Attribute) -> bool:
    return isinstance(element, IntegerType) and cast(Any, element).signedness.data == Signedness.UNSIGNED


# ---- long lists


def _by_numpy(text: str, shape: list[int], element: Attribute, checked: bool) -> bytes | None:
    """The bytes of a well-formed literal of plain numbers; None for anything that needs a closer look."""
    import numpy as np

    if (dtype := _dtype(element)) is None or "t" in text or "f" in text:
        return None
    is_float = isinstance(element, AnyFloat)
    if is_float and checked and _INTEGER(text):
        return None
    splat = "[" not in text
    if not splat and (text.count(",") + 1 != prod(shape) or _skeleton(text) != _brackets(shape)):
        return None
    if not is_float and ("." in text or "e" in text or "E" in text):
        return None
    flat = text.translate(_NO_BRACKETS)
    if not _NUMBERS(flat) or (splat and "," in flat):
        return None
    try:
        values = np.array(flat.split(","), dtype="float64" if is_float else "int64")
    except (ValueError, OverflowError):
        return None
    if not is_float and values.size:
        limits = np.iinfo(dtype)
        if values.min() < limits.min or values.max() > limits.max:
            return None
    with np.errstate(over="ignore"):
        data = values.astype(dtype).tobytes()
    return data * prod(shape) if splat else data


_INTEGER = re.compile(r"(?<![0-9.eE+\-])-?[0-9]++\s*(?=[,\]]|\Z)").search
_NO_BRACKETS = str.maketrans("", "", "[]")
_NUMBERS = re.compile(rf"\s*(?:{_PLAIN_NUMBER}\s*(?:,\s*{_PLAIN_NUMBER}\s*)*+)?").fullmatch
_ONLY_BRACKETS = re.compile(r"[^\[\],]+")


def _skeleton(text: str) -> str:
    return _ONLY_BRACKETS.sub("", text)


def _brackets(shape: list[int]) -> str:
    """The brackets and commas of a literal of this shape."""
    result = ""
    for size in reversed(shape):
        result = f"[{','.join([result] * size)}]"
    return result


def _dtype(element: Attribute) -> np.dtype[Any] | None:
    import numpy as np

    match element:
        case Float32Type():
            return np.dtype("<f4")
        case Float64Type():
            return np.dtype("<f8")
        case IndexType():
            return np.dtype("<i8")
        case IntegerType() if element.width.data in (8, 16, 32, 64) and element.signedness.data != Signedness.UNSIGNED:
            return np.dtype(f"<i{element.width.data // 8}")
        case _:
            return None


def _by_hand(literal: Text) -> Nested:
    """The same number by number. Raises Fault at what is wrong."""
    stack: list[list[Nested]] = [[]]
    last = 0
    comma = True
    for m in _NUMBER.finditer(literal.text):
        token, at = m[0], literal.position + m.start()
        if literal.text[last : m.start()].strip():
            raise Fault("expected a number", literal.position + last)
        last = m.end()
        if token == ",":
            if comma:
                raise Fault("expected a number, got ','", at)
            comma = True
        elif token == "]":
            if len(stack) == 1 or (comma and stack[-1]):
                raise Fault("unexpected ']' in a dense literal", at)
            parts = stack.pop()
            try:
                stack[-1].append(nest(parts) if parts else Nested([], [0]))
            except Fault as e:
                raise Fault(e.message, at) from None
            comma = False
        elif not comma:
            raise Fault(f"expected ',' or ']', got '{token}'", at)
        elif token == "[":
            stack.append([])
        else:
            stack[-1].append(Nested([_element(token)], []))
            comma = False
    if literal.text[last:].strip() or len(stack) != 1 or len(stack[0]) != 1:
        raise Fault("a dense literal is one number or one list of numbers", literal.position)
    return stack[0][0]


def _element(token: str) -> Element:
    if token in ("true", "false"):
        return token == "true"
    return int(token) if token.lstrip("-").isdigit() else float(token)
