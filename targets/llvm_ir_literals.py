"""How types and constants are spelled in LLVM IR text."""

from __future__ import annotations

import struct
from typing import Any, cast

from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.dialects.llvm import LLVMArrayType, LLVMPointerType, LLVMStructType, LLVMVoidType
from xdsl.ir import Attribute

from mlc.support.errors import CompilerBug
from mlc.support.wide_floats import bits_of

STAGE = "LLVM IR emission"

_FLOATS: dict[type[Attribute], tuple[str, str, int]] = {
    Float16Type: ("half", "f16", 2),
    BFloat16Type: ("bfloat", "bf16", 2),
    Float32Type: ("float", "f32", 4),
    Float64Type: ("double", "f64", 8),
    Float80Type: ("x86_fp80", "f80", 16),
    Float128Type: ("fp128", "f128", 16),
}
"""Float types: their name, their name in intrinsics, their alignment in bytes."""


def spell_type(attribute: Attribute) -> str:
    """An xDSL type as LLVM IR writes it.

    Raises:
        CompilerBug: LLVM has no such type.
    """
    kind = type(attribute)
    if kind in _FLOATS:
        return _FLOATS[kind][0]
    match attribute:
        case IntegerType():
            return f"i{attribute.width.data}"
        case VectorType():
            return f"<{_lanes(attribute)} x {spell_type(_element(attribute))}>"
        case LLVMPointerType():
            return "ptr"
        case LLVMArrayType():
            return f"[{attribute.size.data} x {spell_type(attribute.type)}]"
        case LLVMStructType():
            return f"{{ {', '.join(map(spell_type, attribute.types.data))} }}"
        case LLVMVoidType():
            return "void"
        case _:
            raise CompilerBug(f"the type {attribute} has no spelling in LLVM IR", STAGE)


def intrinsic_suffix(attribute: Attribute) -> str:
    """The part of an overloaded intrinsic's name that says its type: `f32`, `v16f32`, `i64`, `p0`."""
    kind = type(attribute)
    if kind in _FLOATS:
        return _FLOATS[kind][1]
    match attribute:
        case IntegerType():
            return f"i{attribute.width.data}"
        case VectorType():
            return f"v{_lanes(attribute)}{intrinsic_suffix(_element(attribute))}"
        case LLVMPointerType():
            return "p0"
        case _:
            raise CompilerBug(f"no intrinsic is overloaded on {attribute}", STAGE)


def natural_alignment(attribute: Attribute) -> int:
    """The alignment in bytes that any value of this type in memory has; for a vector, that of its elements."""
    kind = type(attribute)
    if kind in _FLOATS:
        return _FLOATS[kind][2]
    match attribute:
        case IntegerType():
            return max(1, attribute.width.data // 8)
        case VectorType():
            return natural_alignment(_element(attribute))
        case LLVMPointerType():
            return 8
        case LLVMArrayType():
            return natural_alignment(attribute.type)
        case LLVMStructType():
            return max(map(natural_alignment, attribute.types.data), default=1)
        case _:
            raise CompilerBug(f"the type {attribute} cannot be in memory", STAGE)


def spell_constant(value: Attribute) -> str:
    """A number, or a vector of numbers, as an operand without its type.

    Floats are written by their bits, so that every value, infinity and NaN survives; `float` takes the bits of the
    equal `double`.

    Raises:
        CompilerBug: the attribute is not a number or a vector.
    """
    match value:
        case IntegerAttr():
            return _integer(value.value.data, value.type)
        case FloatAttr():
            return _float(value.value.data, cast(Attribute, value.type))
        case DenseIntOrFPElementsAttr():
            return _vector(cast(DenseIntOrFPElementsAttr[Any], value))
        case _:
            raise CompilerBug(f"no constant of LLVM IR corresponds to {value}", STAGE)


def spell_bytes(data: bytes) -> str:
    """The bytes of a constant array: `c"..."`, or `zeroinitializer`. LLVM reads these ten times as fast as numbers."""
    if not any(data):
        return "zeroinitializer"
    return 'c"' + "".join(_BYTES[b] for b in data) + '"'


def array_bytes(value: DenseIntOrFPElementsAttr[Any], elements: int) -> bytes:
    """The bytes in memory of a dense attribute of `elements` elements; a splat is repeated."""
    data = value.data.data
    return data * elements if len(value) == 1 else data


def _lanes(vector: VectorType[Any]) -> int:
    shape = vector.get_shape()
    if len(shape) != 1:
        raise CompilerBug(f"LLVM has vectors of one dimension only, got {vector}", STAGE)
    return shape[0]


def _element(vector: VectorType[Any]) -> Attribute:
    return cast(Attribute, vector.element_type)


def _integer(value: int, kind: IntegerType | IndexType) -> str:
    if isinstance(kind, IntegerType) and kind.width.data == 1:
        return "true" if value else "false"
    return str(value)


def _float(value: float, kind: Attribute) -> str:
    match kind:
        case Float32Type():
            rounded = value if value != value else struct.unpack("<f", _pack_f32(value))[0]
            return f"0x{struct.unpack('<Q', struct.pack('<d', rounded))[0]:016X}"
        case Float64Type():
            return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        case Float16Type():
            return f"0xH{struct.unpack('<H', struct.pack('<e', value))[0]:04X}"
        case BFloat16Type():
            return f"0xR{struct.unpack('<I', _pack_f32(value))[0] >> 16:04X}"
        case Float80Type():
            return f"0xK{bits_of(value, kind):020X}"
        case Float128Type():
            high, low = divmod(bits_of(value, kind), 1 << 64)
            return f"0xL{low:016X}{high:016X}"
        case _:
            raise CompilerBug(f"no float constant of type {kind}", STAGE)


def _pack_f32(value: float) -> bytes:
    try:
        return struct.pack("<f", value)
    except OverflowError:  # rounds to infinity
        return struct.pack("<f", float("inf") if value > 0 else float("-inf"))


def _vector(value: DenseIntOrFPElementsAttr[Any]) -> str:
    if not any(value.data.data):
        return "zeroinitializer"
    element = cast(Attribute, value.get_element_type())
    name = spell_type(element)
    if isinstance(element, IntegerType):
        width = cast("IntegerType[int]", element)
        parts = [f"{name} {_integer(x, width)}" for x in value.get_values()]
    else:
        parts = [f"{name} {_float(x, element)}" for x in value.get_values()]
    if len(parts) == 1:
        parts *= cast(VectorType[Any], value.type).get_shape()[0]
    return f"<{', '.join(parts)}>"


_BYTES = [chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else f"\\{b:02X}" for b in range(256)]
