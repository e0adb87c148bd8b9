"""Determinants, taken apart while strides are known.

They hand triangular factors to their gradients: those of the transposed matrix where that lies in memory column by
column, as LAPACK wants it. The gradients ask the same question of the same tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch

aten: Any = cast(Any, torch).ops.aten


def _is_transposed(a: torch.Tensor) -> bool:
    return a.is_contiguous() and not a.is_complex()


def _det(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The determinant, the factors and their pivots."""
    factors, pivots, _ = aten.linalg_lu_factor_ex(a.mT if _is_transposed(a) else a)
    return factors.diagonal(0, -2, -1).prod(-1) * _parity(factors, pivots), factors, pivots


def _slogdet(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The sign of the determinant, the logarithm of its size, the factors and their pivots."""
    factors, pivots, _ = aten.linalg_lu_factor_ex(a.mT if _is_transposed(a) else a)
    diagonal = factors.diagonal(0, -2, -1)
    sign = diagonal.sgn().prod(-1) * _parity(factors, pivots)
    return sign, diagonal.abs().log().sum(-1), factors, pivots


def _parity(factors: torch.Tensor, pivots: torch.Tensor) -> torch.Tensor:
    """1, or -1 where an odd number of rows changed places."""
    places = torch.arange(1, pivots.shape[-1] + 1, dtype=pivots.dtype, device=pivots.device)
    odd = (pivots != places).sum(-1) % 2
    return (1 - 2 * odd).to(factors.dtype)


FACTORED: dict[Any, Callable[..., Any]] = {
    aten._linalg_det.default: _det,
    aten._linalg_slogdet.default: _slogdet,
}
"""How these operators are taken apart."""
