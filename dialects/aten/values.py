"""Values of Python, as calls of PyTorch's operators hold them, as attributes, and back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    BoolAttr,
    ComplexType,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    f32,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, TypeAttribute

from mlc.dialects.aten.schemas import torch_package
from mlc.support.dtypes import ELEMENT_TYPES, STORED_TYPES


@cache
def _elements() -> dict[Any, Attribute]:
    """The element type of each dtype of torch."""
    torch = torch_package()
    known = {getattr(torch, e.dtype, None): e.type for e in (*ELEMENT_TYPES, *STORED_TYPES)}
    known.pop(None, None)
    return known | {getattr(torch, "complex64"): ComplexType(f32), getattr(torch, "complex128"): ComplexType(f64)}  # noqa: B009


def element_of_dtype(dtype: Any) -> Attribute | None:
    """The element type that a `torch.dtype` is; None if no type of the IR is it."""
    return _elements().get(dtype)


def dtype_of_element(element: Attribute) -> Any:
    """The `torch.dtype` of an element type.

    Raises:
        KeyError: torch has none.
    """
    return {e: dtype for dtype, e in _elements().items()}[element]


def attribute_of(value: Any) -> Attribute | None:
    """A value of Python as an attribute; None if there is no attribute for it, such as for a symbolic number.

    Numbers are i64, f64 or i1, lists of them arrays, complex ones lists of two attributes that are f64. A dtype is a
    type; devices and layouts are strings.
    """
    torch = cast(Any, torch_package())
    if value is None:
        return UnitAttr()
    if isinstance(value, bool):
        return BoolAttr.from_bool(value)
    if type(value) is int:
        return IntegerAttr(value, i64) if -(1 << 63) <= value < 1 << 63 else None
    if type(value) is float:
        return FloatAttr(value, f64)
    if type(value) is complex:
        return ArrayAttr([FloatAttr(value.real, f64), FloatAttr(value.imag, f64)])
    if isinstance(value, str):
        return StringAttr(value)
    if isinstance(value, torch.dtype):
        return element_of_dtype(value) or StringAttr(str(value))
    if isinstance(value, torch.device | torch.layout | torch.memory_format):
        return StringAttr(str(value))
    if isinstance(value, list | tuple):
        return _array(cast(Sequence[Any], value))
    return None


def _array(values: Sequence[Any]) -> Attribute | None:
    kinds: set[type] = {type(v) for v in values}
    if kinds <= {bool} and kinds:
        return DenseArrayBase.from_list(i1, [int(v) for v in values])
    if kinds <= {int}:
        return DenseArrayBase.from_list(i64, list(values))
    if kinds <= {int, float}:
        return DenseArrayBase.from_list(f64, [float(v) for v in values])
    return None


def value_of(attribute: Attribute) -> Any:
    """The value of Python that an attribute is; element types stay what they are, sizes that depend on extents of the
    call are an `AffineMap`."""
    if isinstance(attribute, UnitAttr):
        return None
    if isinstance(attribute, IntegerAttr):
        number = cast(int, cast(Any, attribute).value.data)
        return bool(number) if cast(Any, attribute).type == i1 else number
    if isinstance(attribute, FloatAttr):
        return cast(float, cast(Any, attribute).value.data)
    if isinstance(attribute, ArrayAttr):
        return complex(*(value_of(part) for part in cast("ArrayAttr[Attribute]", attribute)))
    if isinstance(attribute, StringAttr):
        return attribute.data
    if isinstance(attribute, DenseArrayBase):
        numbers: list[Any] = list(cast(Any, attribute).get_values())
        return [bool(n) for n in numbers] if cast(Any, attribute).elt_type == i1 else numbers
    if isinstance(attribute, AffineMapAttr):
        return attribute.data
    if isinstance(attribute, TypeAttribute):
        return attribute
    raise ValueError(f"{attribute} is not a value that an operator of PyTorch takes")
