"""Actions of the grammar: builtin attributes."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DenseResourceAttr,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    OpaqueAttr,
    ShapedType,
    StridedLayoutAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from mlc.support.wide_floats import WIDE_FLOATS
from mlc.syntax import dense
from mlc.syntax.lexer import Name
from mlc.syntax.state import Hexadecimal, ResourceUse, State

ParsedNumber = int | float


class AttributeActions(State):
    """Makes attributes. The arguments of each action are the values of the grammar's symbols, punctuation included."""

    # ---- numbers

    def integer(self, text: str) -> ParsedNumber:
        """`12`."""
        return int(text)

    def hexadecimal(self, text: str) -> ParsedNumber:
        """`0xff`."""
        return Hexadecimal(text, 16)

    def real(self, text: str) -> ParsedNumber:
        """`1.5e3`."""
        return float(text)

    def negative_integer(self, _minus: str, text: str) -> ParsedNumber:
        """`-12`."""
        return -int(text)

    def negative_hexadecimal(self, _minus: str, text: str) -> ParsedNumber:
        """`-0xff`."""
        return -int(text, 16)

    def negative_real(self, _minus: str, text: str) -> ParsedNumber:
        """`-1.5`."""
        return -float(text)

    def true(self, _word: Name) -> bool:
        """`true`."""
        return True

    def false(self, _word: Name) -> bool:
        """`false`."""
        return False

    def boolean_element(self, value: bool) -> bool:
        """A boolean among numbers."""
        return value

    def number_attribute(self, value: ParsedNumber) -> Attribute:
        """A number without a type: f64 or i64."""
        return FloatAttr(value, f64) if isinstance(value, float) else IntegerAttr(int(value), i64)

    def typed_number_attribute(self, value: ParsedNumber, _colon: str, kind: Attribute) -> Attribute:
        """`1.0 : f32`, `3 : i32`, `0x7FC00000 : f32`."""
        if isinstance(kind, AnyFloat):
            return FloatAttr(self.real_of(value, kind), kind)
        if not isinstance(kind, IntegerType | IndexType):
            self.fault(f"the type of a number is an integer, index or float type, got {kind}")
        if isinstance(value, float):
            self.fault(f"a number with a fraction cannot have type {kind}")
        return IntegerAttr(int(value), cast(Any, kind))

    def boolean_attribute(self, value: bool) -> Attribute:
        """`true`."""
        return IntegerAttr(int(value), i1)

    # ---- strings, containers, symbols

    def string_attribute(self, token: Name) -> Attribute:
        """`"text"`; bytes that are not ASCII are kept as bytes."""
        if "\\" in token.text and not (data := self.string_bytes(token)).isascii():
            return BytesAttr(data)
        return StringAttr(self.string(token))

    def unit(self, _word: Name) -> Attribute:
        """`unit`."""
        return UnitAttr()

    def empty_array(self, _open: str, _close: str) -> Attribute:
        """`[]`."""
        return ArrayAttr(())

    def array(self, _open: str, values: list[Attribute], _close: str) -> Attribute:
        """`[1, 2]`."""
        return ArrayAttr(values)

    def dictionary(self, entries: dict[str, Attribute]) -> Attribute:
        """`{a = 1}`."""
        return DictionaryAttr(entries)

    def symbol_reference(self, path: list[str]) -> Attribute:
        """`@a::@b`."""
        return SymbolRefAttr(path[0], ArrayAttr([StringAttr(name) for name in path[1:]]))

    def no_entries(self, _open: object, _close: str) -> dict[str, Attribute]:
        """`{}`."""
        return {}

    def entries(self, _open: object, entries: list[tuple[Name, Attribute]], _close: str) -> dict[str, Attribute]:
        """`{a = 1, b}`."""
        result: dict[str, Attribute] = {}
        for key, value in entries:
            if key.text in result:
                self.fault(f"attribute '{key.text}' appears twice", key.position)
            result[key.text] = value
        return result

    def unit_entry(self, key: Name) -> tuple[Name, Attribute]:
        """`a`: a unit attribute."""
        return key, UnitAttr()

    def attr_entry(self, key: Name, _equal: str, value: Attribute) -> tuple[Name, Attribute]:
        """`a = 1`."""
        return key, value

    def bare_key(self, token: Name) -> Name:
        """A name."""
        return token

    def quoted_key(self, token: Name) -> Name:
        """A name in quotes."""
        return Name(self.string(token), token.position)

    # ---- dense data

    def dense_hex(self, token: Name) -> dense.Literal:
        """`"0x..."`."""
        return dense.from_hex(self.string(token), token.position)

    def dense_text(self, token: Name) -> dense.Literal:
        """A list of numbers, read by NumPy when the type is known."""
        return dense.Text(token.text, token.position)

    def dense_nested(self, literal: dense.Nested) -> dense.Literal:
        """A literal that was parsed number by number."""
        return literal

    def scalar_literal(self, value: ParsedNumber) -> dense.Nested:
        """A single number."""
        return dense.Nested([value], [])

    def complex_literal(
        self, _open: str, real: ParsedNumber, _comma: str, imaginary: ParsedNumber, _close: str
    ) -> dense.Nested:
        """`(1.0, 2.0)`."""
        return dense.Nested([(real, imaginary)], [])

    def empty_literal(self, _open: str, _close: str) -> dense.Nested:
        """`[]`."""
        return dense.Nested([], [0])

    def nested_literal(self, _open: str, parts: list[dense.Nested], _close: str) -> dense.Nested:
        """`[1, 2]`."""
        return dense.nest(parts)

    def dense(
        self, word: Name, _open: str, literal: dense.Literal | None, _close: str, _colon: str, kind: Attribute
    ) -> Attribute:
        """`dense<...> : type`."""
        return dense.attribute(literal, kind, word.position, self.checked)

    def dense_resource(
        self, _word: Name, _open: str, key: Name, _close: str, _colon: str, kind: Attribute
    ) -> Attribute:
        """`dense_resource<name> : type`."""
        if not isinstance(kind, ShapedType):
            self.fault(f"a dense_resource has a shaped type, got {kind}", key.position)
        return self.resource_use(key.text, kind, key.position)

    def resource_use(self, name: str, kind: ShapedType, position: int) -> DenseResourceAttr:
        """A reference to a resource, to be checked at the end of the file, when all are known."""
        self.resource_uses.append(ResourceUse(name, kind, position))
        return DenseResourceAttr.from_params(name, kind)

    def empty_dense_array(self, _word: Name, _open: str, kind: Attribute, _close: str) -> Attribute:
        """`array<i64>`."""
        return self._dense_array(kind, [])

    def dense_array(
        self, _word: Name, _open: str, kind: Attribute, _colon: str, values: list[ParsedNumber], _close: str
    ) -> Attribute:
        """`array<i64: 1, 2>`."""
        return self._dense_array(kind, values)

    def _dense_array(self, kind: Attribute, values: list[ParsedNumber]) -> Attribute:
        if isinstance(kind, IntegerType):
            integers = [self.integer_of(v) for v in values]
            for value in integers:
                try:
                    kind.verify_value(value)
                except VerifyException as e:
                    self.fault(str(e))
            return DenseArrayBase.from_list(cast(Any, kind), integers)
        if not isinstance(kind, AnyFloat):
            self.fault(f"the elements of an array are integers or floats, got {kind}")
        if isinstance(kind, WIDE_FLOATS):
            self.fault(f"an array cannot have elements of type {kind} here")
        return DenseArrayBase.from_list(cast(Any, kind), [self.real_of(v, kind) for v in values])

    # ---- layouts and opaque attributes

    def stride(self, value: ParsedNumber) -> int:
        """`4`."""
        return self.integer_of(value)

    def dynamic_stride(self, _mark: str) -> None:
        """`?`."""
        return

    def strided_layout(
        self, _word: Name, _lt: str, _open: str, strides: list[int | None], _close: str, _gt: str
    ) -> Attribute:
        """`strided<[4, 1]>`."""
        return self._strided(strides, 0)

    def strided_layout_with_offset(
        self, _w: Name, _lt: str, _open: str, strides: list[int | None], _close: str, _comma: str, _offset: Name,
        _colon: str, offset: int | None, _gt: str,
    ) -> Attribute:  # fmt: skip
        """`strided<[4, 1], offset: ?>`."""
        return self._strided(strides, offset)

    def _strided(self, strides: list[int | None], offset: int | None) -> Attribute:
        if self.checked and 0 in strides:
            self.fault("a stride is not 0: all indices of that dim would mean the same element")
        return StridedLayoutAttr(strides, offset)

    def opaque(self, _word: Name, _open: str, name: Name, _comma: str, value: Name, _close: str) -> Attribute:
        """`opaque<"dialect", "text">`."""
        return OpaqueAttr.from_strings(self.string(name), self.string(value))

    def typed_opaque(
        self,
        _word: Name,
        _open: str,
        name: Name,
        _comma: str,
        value: Name,
        _close: str,
        _colon: str,
        kind: Attribute,
    ) -> Attribute:
        """`opaque<"dialect", "text"> : type`."""
        return OpaqueAttr.from_strings(self.string(name), self.string(value), type=kind)
