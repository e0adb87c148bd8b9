"""Tensors of torch as arrays of NumPy, and numbers as constants."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, f64, i1, i64

from mlc.dialects.aten.schemas import torch_package
from mlc.dialects.graph import ConstantOp
from mlc.support.dtypes import dtype_named

_CODES = ("bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu")
"""Dtypes that NumPy has from `ml_dtypes` only."""


def array_of(tensor: Any) -> NDArray[Any]:
    """The elements of a dense tensor of the CPU, in the tensor's own memory where they lie there in order; those of
    complex numbers have a dim of 2 after the others for both parts."""
    torch = cast(Any, torch_package())
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    plain = torch.view_as_real(plain) if plain.is_complex() else plain
    name = str(plain.dtype).removeprefix("torch.")
    if name in _CODES:
        bits = torch.int16 if plain.element_size() == 2 else torch.uint8
        return np.asarray(plain.view(bits).numpy()).view(dtype_named(name))
    return np.asarray(plain.numpy())


def constant_of(number: complex) -> ConstantOp:
    """A number as a constant of no dims; the parts of a complex one in a dim of 2."""
    element = i1 if isinstance(number, bool) else i64 if isinstance(number, int) else f64
    parts: Any = [number.real, number.imag] if isinstance(number, complex) else None
    kind: Any = TensorType(element, [] if parts is None else [2])
    return ConstantOp(DenseIntOrFPElementsAttr.from_list(kind, parts or cast(Any, [number])))
