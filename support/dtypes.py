"""The element types that mlc computes with: one description of each, which all levels, files and callers ask."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import inf, prod
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import (
    ComplexType,
    Float4E2M1FNType,
    Float6E2M3FNType,
    Float6E3M2FNType,
    Float8E3M4Type,
    Float8E4M3B11FNUZType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E4M3Type,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    IndexType,
    IntegerType,
    Signedness,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from mlc.support.errors import UserError
from mlc.support.types import MemRef, Tensor

if TYPE_CHECKING:  # most texts need no NumPy, and importing it takes 0.1 s
    from collections.abc import Callable

    import numpy as np

ENTRIES = 256
"""How many numbers eight bits hold, and entries a table has."""


@dataclass(frozen=True)
class ElementType:
    """What an element type is called.

    Attributes:
        type: by the IR.
        dtype: by NumPy, and by the signature of an artifact.
        safetensors: by the header of a safetensors file; nothing if the format has no name for it, or packs elements:
            then a file holds the bytes of an array as U8.
        c_constant: by `mlc_tensor_info` in runtime/mlc.h.
    """

    type: Attribute
    dtype: str
    safetensors: str
    c_constant: str


ELEMENT_TYPES = (
    ElementType(f16, "float16", "F16", "MLC_F16"),
    ElementType(bf16, "bfloat16", "BF16", "MLC_BF16"),
    ElementType(f32, "float32", "F32", "MLC_F32"),
    ElementType(f64, "float64", "F64", "MLC_F64"),
    ElementType(i8, "int8", "I8", "MLC_I8"),
    ElementType(i16, "int16", "I16", "MLC_I16"),
    ElementType(i32, "int32", "I32", "MLC_I32"),
    ElementType(i64, "int64", "I64", "MLC_I64"),
    ElementType(IntegerType(8, Signedness.UNSIGNED), "uint8", "U8", "MLC_U8"),
    ElementType(IntegerType(16, Signedness.UNSIGNED), "uint16", "U16", "MLC_U16"),
    ElementType(IntegerType(32, Signedness.UNSIGNED), "uint32", "U32", "MLC_U32"),
    ElementType(IntegerType(64, Signedness.UNSIGNED), "uint64", "U64", "MLC_U64"),
    ElementType(i1, "bool", "BOOL", "MLC_BOOL"),
)
"""The types that mlc computes with."""
STORED_TYPES = (
    ElementType(Float8E4M3FNType(), "float8_e4m3fn", "F8_E4M3", "MLC_F8_E4M3FN"),
    ElementType(Float8E4M3FNUZType(), "float8_e4m3fnuz", "F8_E4M3FNUZ", "MLC_F8_E4M3FNUZ"),
    ElementType(Float8E4M3Type(), "float8_e4m3", "", "MLC_F8_E4M3"),
    ElementType(Float8E4M3B11FNUZType(), "float8_e4m3b11fnuz", "", "MLC_F8_E4M3B11FNUZ"),
    ElementType(Float8E3M4Type(), "float8_e3m4", "", "MLC_F8_E3M4"),
    ElementType(Float8E5M2Type(), "float8_e5m2", "F8_E5M2", "MLC_F8_E5M2"),
    ElementType(Float8E5M2FNUZType(), "float8_e5m2fnuz", "F8_E5M2FNUZ", "MLC_F8_E5M2FNUZ"),
    ElementType(Float8E8M0FNUType(), "float8_e8m0fnu", "F8_E8M0", "MLC_F8_E8M0FNU"),
    ElementType(Float6E2M3FNType(), "float6_e2m3fn", "", "MLC_F6_E2M3FN"),
    ElementType(Float6E3M2FNType(), "float6_e3m2fn", "", "MLC_F6_E3M2FN"),
    ElementType(Float4E2M1FNType(), "float4_e2m1fn", "", "MLC_F4_E2M1FN"),
    ElementType(IntegerType(4), "int4", "", "MLC_I4"),
    ElementType(IntegerType(4, Signedness.UNSIGNED), "uint4", "", "MLC_U4"),
    ElementType(IntegerType(2), "int2", "", "MLC_I2"),
    ElementType(IntegerType(2, Signedness.UNSIGNED), "uint2", "", "MLC_U2"),
)
"""The types of which each element is a code, in the low bits of a byte of its own. Integers among them are only stored,
moved and converted; floats are `SHORT_FLOATS`."""
STORED: tuple[Attribute, ...] = tuple(e.type for e in STORED_TYPES)
ONLY_STORED: tuple[Attribute, ...] = tuple(e.type for e in STORED_TYPES if type(e.type) is IntegerType)
"""The integers of less than 8 bits, which nothing is computed with."""
HALVES: tuple[Attribute, ...] = (f16, bf16)
"""The floats of 16 bits."""
SHORT_FLOATS: tuple[Attribute, ...] = (*HALVES, *(t for t in STORED if t not in ONLY_STORED))
"""The floats that are types of memory: they are computed with in f32, and rounded when they are stored."""
INTEGERS: tuple[Attribute, ...] = tuple(e.type for e in ELEMENT_TYPES if type(e.type) is IntegerType and e.type != i1)
"""The integers that mlc computes with: all but i1, which is a truth value."""
COMPUTED_FLOATS: tuple[Attribute, ...] = (*SHORT_FLOATS, f32, f64)
"""The floats that mlc computes with."""
NAMES = f"{', '.join(str(e.type) for e in ELEMENT_TYPES[:-1])} and {ELEMENT_TYPES[-1].type}"
"""The element types in words, for messages."""
NOT_KNOWN = (
    f"with which mlc does not compute; it has {NAMES}, and {', '.join(map(str, SHORT_FLOATS[2:]))}, and stores "
    f"{', '.join(map(str, ONLY_STORED))}"
)
"""What is to say of elements of other types."""

_ALL = (*ELEMENT_TYPES, *STORED_TYPES)
_BY_TYPE = {e.type: e for e in _ALL}
_BY_DTYPE = {e.dtype: e for e in _ALL}
_BY_SAFETENSORS = {e.safetensors: e for e in _ALL if e.safetensors}
_SHORT_FLOATS = {e.dtype for e in _ALL if e.type in SHORT_FLOATS}
_STORED_DTYPES = {e.dtype for e in STORED_TYPES}
_INDEX = IndexType()


def is_supported(element_type: Attribute) -> bool:
    """Whether mlc computes with elements of this type, or stores them."""
    return element_type in _BY_TYPE or element_type == _INDEX


def is_computed(element_type: Attribute) -> bool:
    """Whether elements of this type are numbers on all levels, and not codes that kernels decode."""
    return is_supported(element_type) and element_type not in STORED


def is_unsigned(element_type: Attribute) -> bool:
    """Whether elements are integers whose bits are all digits; `i1` and signless ones, read as signed, are not."""
    return (integer := _integer(element_type)) is not None and integer.signedness.data == Signedness.UNSIGNED


def signless(element_type: Attribute) -> IntegerType[int]:
    """The type of integers of the same bits of which nothing says whether they have a sign: `ui8` becomes `i8`."""
    integer = _integer(element_type)
    assert integer is not None
    return IntegerType(integer.width.data)


def unsigned(element_type: Attribute) -> IntegerType[int]:
    """The type of unsigned integers of the same bits: `i8` becomes `ui8`."""
    integer = _integer(element_type)
    assert integer is not None
    return IntegerType(integer.width.data, Signedness.UNSIGNED)


def least_of(element_type: Attribute) -> float:
    """The least number of a type, which is not greater than any."""
    if (integer := _integer(element_type)) is None:
        return -inf
    return 0 if is_unsigned(element_type) else -(1 << (integer.width.data - 1))


def most_of(element_type: Attribute) -> float:
    """The greatest number of a type."""
    if (integer := _integer(element_type)) is None:
        return inf
    return (1 << (integer.width.data - (not is_unsigned(element_type)))) - 1


def _integer(element_type: Attribute) -> IntegerType[int] | None:
    return cast("IntegerType[int]", element_type) if isinstance(element_type, IntegerType) else None


class UnknownElement(UserError, KeyError):
    """Somebody asked for numbers of a type that mlc does not have."""

    def __init__(self, element_type: Attribute) -> None:
        super().__init__(f"it has elements of type {element_type}, {NOT_KNOWN}")


stand_ins: list[Callable[[Attribute], Attribute]] = []
"""Functions that give, for an element type of a plugin, the type that its elements become, and others unchanged."""


def standing_for(element_type: Attribute) -> Attribute:
    """The type that elements of a plugin's type become, whose arrays hold them, too; other types are their own."""
    for stand_in in stand_ins:
        element_type = stand_in(element_type)
    return element_type


def to_numpy(element_type: Attribute) -> np.dtype[Any]:
    """The NumPy dtype of an element type (`index` is 64 bits wide).

    Raises:
        UnknownElement: mlc does not have this type.
    """
    return _own_to_numpy(element_type if element_type in _BY_TYPE else standing_for(element_type))


@cache
def _own_to_numpy(element_type: Attribute) -> np.dtype[Any]:
    if element_type == _INDEX:
        return dtype_named("int64")
    if element_type not in _BY_TYPE:
        raise UnknownElement(element_type)
    return dtype_named(_BY_TYPE[element_type].dtype)


def dtype_of(element_type: Attribute) -> np.dtype[Any]:
    """The NumPy dtype of an element type, or of complex numbers, which frontends have and kernels do not.

    Raises:
        UnknownElement: mlc does not have this type.
    """
    if isinstance(element_type, ComplexType):
        part = to_numpy(cast(Any, element_type).element_type)
        return dtype_named({"float32": "complex64", "float64": "complex128"}[part.name])
    return to_numpy(element_type)


def from_numpy(dtype: np.dtype[Any]) -> Attribute:
    """The element type of an array.

    Raises:
        KeyError: mlc does not know this dtype.
    """
    return _BY_DTYPE[dtype.name].type


@cache
def dtype_named(name: str) -> np.dtype[Any]:
    """The dtype of a name that NumPy has, or that `ml_dtypes` adds."""
    import numpy as np

    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))


def bytes_of(value: SSAValue) -> int:
    """The size of a tensor, or of a buffer, in memory."""
    kind = cast(Tensor | MemRef, value.type)
    return prod(kind.get_shape()) * to_numpy(kind.element_type).itemsize


def computing_type(element: Attribute) -> Attribute:
    """The type in which elements are computed with: f32 for floats that are types of memory, else their own."""
    return f32 if element in SHORT_FLOATS else element


def is_float(dtype: np.dtype[Any]) -> bool:
    """Whether the elements of an array are floats, those that `ml_dtypes` adds included."""
    return dtype.kind == "f" or dtype.name in _SHORT_FLOATS


def is_short_float(dtype: np.dtype[Any]) -> bool:
    """Whether the elements of an array are floats that are computed with in f32."""
    return dtype.name in _SHORT_FLOATS


def is_stored(dtype: np.dtype[Any]) -> bool:
    """Whether the elements of an array are codes, of 8 bits or less."""
    return dtype.name in _STORED_DTYPES


def bits_of(dtype: np.dtype[Any]) -> int:
    """How many bits an element has that mean something."""
    return cast(Any, from_numpy(dtype)).bitwidth


def limits_of(dtype: np.dtype[Any]) -> np.finfo[Any]:
    """What `np.finfo` says, of any dtype of floats."""
    import numpy as np

    if dtype.isbuiltin == 1:
        return np.finfo(dtype)
    import ml_dtypes

    return ml_dtypes.finfo(dtype)  # pyright: ignore


def dtype_in_safetensors(name: str) -> np.dtype[Any]:
    """The dtype, in the byte order of the format, that a safetensors file calls `name`.

    Raises:
        KeyError: it is none that a constant can have.
    """
    dtype = dtype_named(_BY_SAFETENSORS[name].dtype)
    return dtype.newbyteorder("<") if dtype.isbuiltin == 1 else dtype


def in_safetensors(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array as a safetensors file holds it: bytes of types for which the format has no name."""
    element = _BY_DTYPE.get(array.dtype.name)
    return array if element is None or element.safetensors else array.view("uint8")


def out_of_safetensors(array: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array of a safetensors file as one of `dtype`, if it holds the bytes of one; else as it is."""
    return array.view(dtype) if is_stored(dtype) and array.dtype.name == "uint8" else array


def c_constant(dtype: str) -> str:
    """How C spells a dtype that NumPy calls `dtype`: an enumerator of runtime/mlc.h."""
    return _BY_DTYPE[dtype].c_constant
