"""Tensors of torch as arrays of NumPy."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mlc.dialects.aten.schemas import torch_package
from mlc.support.dtypes import dtype_named

_CODES = ("bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu")
"""Dtypes that NumPy has from `ml_dtypes` only."""


def array_of(tensor: Any) -> NDArray[Any]:
    """The elements of a dense tensor of the CPU, in the tensor's own memory where they lie there in order; those of
    complex numbers have a dim of 2 behind the others for both parts."""
    torch = cast(Any, torch_package())
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    plain = torch.view_as_real(plain) if plain.is_complex() else plain
    name = str(plain.dtype).removeprefix("torch.")
    if name in _CODES:
        bits = torch.int16 if plain.element_size() == 2 else torch.uint8
        return np.asarray(plain.view(bits).numpy()).view(dtype_named(name))
    return np.asarray(plain.numpy())
