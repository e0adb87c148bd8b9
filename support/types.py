"""The types of values, narrowed: xDSL's `value.type` is any attribute, these say what it must be here."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    PackableType,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute, SSAValue

Tensor = TensorType[Any]
MemRef = MemRefType[Any]
Vector = VectorType[Any]

MOST_ELEMENTS = 1 << 48
"""More elements are in no memory: addresses have 48 bits, or few more."""


def is_scalar(kind: Attribute) -> bool:
    """Whether a type is that of one number."""
    return isinstance(kind, IntegerType | IndexType | AnyFloat)


def tensor_type(value: SSAValue) -> Tensor:
    """The type of a value that is a tensor."""
    found = value.type
    assert isinstance(found, TensorType)
    return cast(Tensor, found)


def memref_type(value: SSAValue) -> MemRef:
    """The type of a value that is a memref."""
    found = value.type
    assert isinstance(found, MemRefType)
    return cast(MemRef, found)


def vector_type(attribute: Attribute) -> Vector | None:
    """`attribute` as a vector type, or None if it is another type."""
    return cast(Vector, attribute) if isinstance(attribute, VectorType) else None


@lru_cache(maxsize=4096)
def vector_of(element: Attribute, lanes: int) -> Vector:
    """A vector of so many lanes, made once."""
    return VectorType(element, [lanes])


def element_type(attribute: Attribute) -> Attribute:
    """The element type of a shaped type; a scalar type is its own."""
    if isinstance(attribute, TensorType | MemRefType | VectorType):
        return cast(Attribute, cast(Any, attribute).element_type)
    return attribute


def integer_width(attribute: Attribute) -> int | None:
    """The width in bits of an integer type; None for other types."""
    return cast(IntegerType[int], attribute).width.data if isinstance(attribute, IntegerType) else None


def repeated_number(elements: DenseIntOrFPElementsAttr) -> int | float | None:
    """The one number that all elements are, bit by bit, if there are any; zeros of two signs are two numbers."""
    data = elements.data.data
    kind = cast(PackableType[int | float], elements.get_element_type())
    first = data[: kind.compile_time_size]
    return kind.unpack(first, 1)[0] if data and data == first * (len(data) // len(first)) else None


def scalar_attribute(value: float, element: Attribute) -> IntegerAttr[Any] | FloatAttr[Any]:
    """`value` as a constant of an integer, index or float type."""
    if isinstance(element, IntegerType | IndexType):
        return IntegerAttr(int(value), cast(Any, element))
    return FloatAttr(value, cast(AnyFloat, element))


def real_type(kind: TensorType[Any]) -> TensorType[Any]:
    """A tensor as it lies in memory: of complex numbers with a dim of 2 after the others for both parts."""
    element = cast(Attribute, kind.element_type)
    if not isinstance(element, ComplexType):
        return kind
    return TensorType(cast("ComplexType[Any]", element).element_type, [*kind.get_shape(), 2])
