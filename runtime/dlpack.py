"""Arrays of other libraries, without a copy (DLPack)."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import Any, cast

import numpy as np

_Array = np.ndarray[Any, Any]

UNREADABLE = (BufferError, RuntimeError, TypeError, ValueError)
"""What libraries raise for arrays that they do not give, or that NumPy cannot hold."""
_BFLOAT, _UNSIGNED = 4, 1
"""Codes of kinds of numbers (`DLDataTypeCode` in dlpack.h)."""


class _Tensor(ctypes.Structure):
    """The head of `DLTensor`, as dlpack.h has it."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    )


class _Bits:
    """An array whose elements are told to be unsigned integers, if they are bf16: NumPy has no other name for them."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.is_bfloat = False

    def __dlpack__(self, **_: object) -> Any:
        capsule = self.array.__dlpack__()
        tensor = _Tensor.from_address(_pointer(capsule, b"dltensor"))
        self.is_bfloat = tensor.code == _BFLOAT
        if self.is_bfloat:
            tensor.code = _UNSIGNED
        return capsule

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p


def from_dlpack(array: Any) -> _Array:
    """The elements of an array of another library, as one of NumPy in the same memory; bf16 is that of `ml_dtypes`.

    Raises:
        Exception: one of `UNREADABLE`; it is not in memory of the CPU, or has elements of a type that
            NumPy lacks.
    """
    try:
        return cast(_Array, np.from_dlpack(array))
    except UNREADABLE:
        bits = _Bits(array)
        with suppress(*UNREADABLE):
            found = cast(_Array, np.from_dlpack(bits))
            if bits.is_bfloat:
                import ml_dtypes

                return found.view(ml_dtypes.bfloat16)
        raise
