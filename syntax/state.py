"""What one parse of a text knows: its source, its context, names, memoised types, errors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    FileLineColLoc,
    IndexType,
    IntAttr,
    IntegerType,
    LocationAttr,
    MemRefType,
    NoneType,
    ShapedType,
    Signedness,
    StringAttr,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute, Operation
from xdsl.parser import AttrParser

from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.former_names import name_today
from mlc.support.wide_floats import WIDE_FLOATS, size_of, value_of
from mlc.syntax.errors import LIMIT, Consequence, Fault, PositionedNote, Source, TooManyErrors, misspelled
from mlc.syntax.lexer import Name
from mlc.syntax.scopes import Scopes
from mlc.syntax.shaped_types import check_shaped

_FLOATS = cast("dict[str, Attribute]", AttrParser._builtin_float_types)  # pyright: ignore[reportPrivateUsage]
_INTEGER = re.compile(r"([su]?)i([0-9]+)").fullmatch
_SIGNEDNESS = {"": Signedness.SIGNLESS, "s": Signedness.SIGNED, "u": Signedness.UNSIGNED}
_SIMPLE_SHAPED = re.compile(r"(tensor|memref|vector)<((?:[0-9?]+x)*)([a-z0-9]+)>").fullmatch
_SIMPLE_BODY = re.compile(r"<[^<>\"]*(?:<[^<>\"]*>[^<>\"]*)*>").match
_ESCAPE = re.compile(r'\\(?:([nt\\"])|([0-9A-Fa-f]{2}))')
_ESCAPED = {"n": b"\n", "t": b"\t", "\\": b"\\", '"': b'"'}
_set = object.__setattr__


@dataclass(frozen=True)
class ResourceUse:
    """A `dense_resource<name> : type` in the text."""

    name: str
    type: ShapedType
    position: int


@dataclass(frozen=True)
class Blob:
    """Bytes in hexadecimal that the text holds."""

    digits: str
    position: int


@dataclass(frozen=True)
class ExternalFile:
    """A weight file that the text names."""

    key: str
    path: str
    position: int


class State:
    """The state of one parse; the base of the builder."""

    def __init__(self, text: str, filename: str, ctx: CompilerContext, base: Path, checked: bool) -> None:
        self.text = text
        self.checked = checked
        """Whether rules of MLIR hold that xDSL does not have (`parse_module`)."""
        self.source = Source(text, filename)
        self.ctx = ctx
        self.base = base
        self.scopes = Scopes()
        self.errors: list[UserError] = []
        self.aliases: dict[str, Attribute] = {}
        self.unusable_aliases: set[str] = set()
        """Aliases whose definition has an error: nothing is said about uses of them."""
        self.later_locations: dict[str, LocationAttr | None] = {}
        """Locations whose aliases were used before their definitions; None while one is read."""
        self.simple_types: dict[str, Attribute] = {}
        """Builtin types by their text."""
        self.spellings_at_end: Sequence[str] = ()
        """The keywords and the punctuation that might have followed a text that ends too early."""
        self.resource_uses: list[ResourceUse] = []
        self.blobs: dict[str, Blob] = {}
        """The data that the text holds, by resource name."""
        self.external_files: list[ExternalFile] = []
        self._dialect_attributes: dict[str, Attribute] = {}
        self._operations: dict[str, type[Operation] | None] = {}
        self._file = StringAttr(filename)
        self._numbers: dict[int, IntAttr] = {}

    @property
    def has_resources(self) -> bool:
        """Whether the text uses, holds or names weight data."""
        return bool(self.resource_uses or self.blobs or self.external_files)

    # ---- errors

    def fault(self, message: str, position: int | None = None, notes: Sequence[PositionedNote] = ()) -> NoReturn:
        """Raise an error at a position, or where the parser is."""
        raise Fault(message, position, notes)

    def warn(self, position: int, message: str) -> None:
        """Warn of something at a position."""
        self.ctx.warn_at(self.source.locate(position), message)

    def report(self, fault: Fault, position: int) -> None:
        """Keep an error, unless it only follows from another; all are raised together at the end.

        Raises TooManyErrors.
        """
        if isinstance(fault, Consequence):
            return
        error = self.source.user_error(fault, position)
        if (error.message, error.location) not in [(e.message, e.location) for e in self.errors]:
            self.errors.append(error)
        if len(self.errors) >= LIMIT:
            raise TooManyErrors

    # ---- locations

    def location_at(self, position: int) -> LocationAttr:
        """The location attribute of a position.

        Its parts are known to be right, so it is made without the verification that doubles its cost.
        """
        place = self.source.locate(position)
        location = FileLineColLoc.__new__(FileLineColLoc)
        _set(location, "filename", self._file)
        _set(location, "line", self._number(place.line))
        _set(location, "column", self._number(place.column))
        return location

    def _number(self, value: int) -> IntAttr:
        if (found := self._numbers.get(value)) is None:
            found = self._numbers[value] = IntAttr(value)
        return found

    # ---- types

    def scalar_type(self, text: str) -> Attribute | None:
        """A builtin type that is a single word, or None."""
        if (found := self.simple_types.get(text)) is not None:
            return found
        if (m := _INTEGER(text)) is not None:
            if int(m[2]) > (1 << 24) - 1:
                self.fault(f"an integer type has at most {(1 << 24) - 1} bits, got {text}")
            found = IntegerType(int(m[2]), _SIGNEDNESS[m[1]])
        elif text == "index":
            found = IndexType()
        elif text == "none":
            found = NoneType()
        else:
            found = _FLOATS.get(text)
        if found is not None:
            self.simple_types[text] = found
        return found

    def unknown_type(self, text: str, position: int) -> Fault:
        """The error for a word that looks like a type and is none."""
        near = get_close_matches(text, [*_FLOATS, "i1", "i8", "i16", "i32", "i64", "index"], 1)
        return misspelled(f"unknown type '{text}'", text, near, position)

    def simple_type(self, text: str, position: int) -> Attribute:
        """A shaped type of plain sizes (`lexer.SIMPLE_TYPE`), which stands at a position."""
        if (found := self.simple_types.get(text)) is not None:
            return found
        m = _SIMPLE_SHAPED(text)
        assert m is not None
        element = self.scalar_type(m[3])
        if element is None:
            raise self.unknown_type(m[3], position + m.start(3))
        sizes = [None if d == "?" else int(d) for d in m[2].split("x")[:-1]]
        found = self.simple_types[text] = self.shaped_type(m[1], sizes, element)
        return found

    def shaped_type(self, kind: str, sizes: Sequence[int | None], element: Attribute) -> Attribute:
        """A ranked tensor, memref or vector type without further parameters; None is a dynamic size."""
        check_shaped(kind, sizes, element, None)
        dims = [DYNAMIC_INDEX if d is None else d for d in sizes]
        if kind == "tensor":
            return TensorType(element, dims)
        if kind == "memref":
            return MemRefType(element, dims)
        return VectorType(element, dims)

    def dialect_attribute_at(self, start: int, end: int) -> tuple[Attribute, int] | None:
        """A dialect type or attribute that was seen before in the same spelling, and its end."""
        text = self.text
        if text.startswith("<", end):
            if (m := _SIMPLE_BODY(text, end)) is None:
                return None
            end = m.end()
        found = self._dialect_attributes.get(text[start:end])
        return None if found is None else (found, end)

    def remember_attribute(self, start: int, end: int, attribute: Attribute) -> None:
        """Let the same spelling find the attribute again."""
        self._dialect_attributes[self.text[start:end]] = attribute

    # ---- aliases

    def alias(self, token: Name) -> Attribute:
        """What `#name` or `!name` stands for: an action of the grammar."""
        if (found := self.aliases.get(token.text)) is None:
            if token.text in self.unusable_aliases:
                raise Consequence
            self.fault(f"alias '{token.text}' is not defined", token.position)
        return found

    # ---- operations

    def operation_class(self, name: str, position: int = 0) -> type[Operation] | None:
        """The class of an operation by its full name; an UnregisteredOp where the context allows those.

        A name that the operation had before is warned of at `position`.
        """
        if name not in self._operations:
            known = "." in name or self.ctx.allow_unregistered
            today = name_today("op", name, lambda message: self.warn(position, message))
            self._operations[name] = self.ctx.get_optional_op(today) if known else None
        return self._operations[name]

    def unknown_operation(self, name: str, position: int, dialects: Sequence[str] = ()) -> Fault:
        """The error for a name that stands for no operation here; `dialects` need no prefix."""
        prefix = name.split(".", 1)[0]
        if "." in name and (unknown := self._unknown_dialect(prefix, position)) is not None:
            return unknown
        names = [op.name for op in self.ctx.loaded_ops]
        if "." not in name and self.ctx.get_optional_op(f"{name}.{name}") is not None:
            return misspelled(f"unknown operation '{name}'", name, [f"{name}.{name}"], position)
        short = [n for d in dialects for op in names if (n := op.removeprefix(f"{d}.")) != op]
        near = get_close_matches(name, names if "." in name else short, 1, 0.7)
        return misspelled(f"unknown operation '{name}'", name, near, position)

    def require_dialect(self, name: str, position: int) -> None:
        """Raise Fault unless the dialect exists, or any may be used."""
        if (unknown := self._unknown_dialect(name, position)) is not None:
            raise unknown

    def _unknown_dialect(self, name: str, position: int) -> Fault | None:
        if self.ctx.allow_unregistered or self.ctx.get_optional_dialect(name) is not None:
            return None
        near = get_close_matches(name, self.ctx.registered_dialect_names, 1, 0.7)
        return misspelled(f"unknown dialect '{name}'", name, near, position)

    # ---- strings

    def string(self, token: Name) -> str:
        """The text of a string literal."""
        if "\\" not in token.text:
            return token.text[1:-1]
        try:
            return self.string_bytes(token).decode()
        except UnicodeDecodeError:
            self.fault("this string is not valid UTF-8", token.position)

    def string_bytes(self, token: Name) -> bytes:
        """The bytes of a string literal."""
        out, last, text = bytearray(), 1, token.text
        for m in _ESCAPE.finditer(text, 1, len(text) - 1):
            out += text[last : m.start()].encode()
            out += _ESCAPED[m[1]] if m[1] else bytes.fromhex(m[2])
            last = m.end()
        return bytes(out + text[last:-1].encode())

    def symbol(self, text: str, position: int) -> str:
        """The name behind an `@`."""
        return self.string(Name(text[1:], position + 1)) if text[1] == '"' else text[1:]

    def integer_of(self, value: object) -> int:
        """An integer or boolean literal as an integer."""
        if not isinstance(value, int):
            self.fault("expected an integer, got a number with a fraction")
        return int(value)

    def real_of(self, value: object, kind: AnyFloat) -> float:
        """A number literal as a float of a type (`real_of`)."""
        return real_of(value, kind, None, self.checked)


class Hexadecimal(int):
    """An integer that the text writes in hexadecimal: the bits of the value where a float is meant."""


def real_of(value: object, kind: AnyFloat, position: int | None, checked: bool) -> float:
    """A number literal as a float of a type; an integer in hexadecimal is its bits.

    Args:
        checked: whether another integer is an error, as in MLIR.

    Raises:
        Fault: it is such an integer, has too many bits, or is a number of f80 or f128 that no Python float equals.
    """
    if isinstance(value, float):
        return value
    if not isinstance(value, Hexadecimal):
        if not checked:
            return float(cast(Any, value))
        found = str(value).lower() if isinstance(value, bool) else f"{value}, as in {value}.0"
        raise Fault(f"a number of type {kind} has a point, or is its bits in hexadecimal, got {found}", position)
    size = size_of(kind) if isinstance(kind, WIDE_FLOATS) else kind.compile_time_size
    if value.bit_length() > 8 * size:
        raise Fault(f"{hex(value)} has more bits than {kind}", position)
    if isinstance(kind, WIDE_FLOATS):
        if (found := value_of(int(value), kind)) is None:
            raise Fault(f"numbers of type {kind} are kept as f64, which {hex(value)} does not fit", position)
        return found
    return next(iter(kind.iter_unpack(int(value).to_bytes(size, "little"))))
