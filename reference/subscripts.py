"""Affine subscripts, on index arrays as on integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.ir.affine import AffineDimExpr, AffineMap

from mlc.reference.execution import Array


def apply_map(affine: AffineMap, arrays: Sequence[Array]) -> list[Array]:
    """The results of `affine` where its dims, and then its symbols, are these arrays, which broadcast."""
    dims, symbols = arrays[: affine.num_dims], arrays[affine.num_dims :]
    # xDSL computes with Python's operators, so arrays do where it expects integers.
    return [
        dims[e.position] if isinstance(e, AffineDimExpr) else np.asarray(cast(Any, e).eval(dims, symbols))
        for e in affine.results
    ]


def grid(sizes: Sequence[int]) -> list[Array]:
    """For each dim, its points along an axis of its own: `grid([2, 3])` has the shapes [2, 1] and [1, 3]."""
    rank = len(sizes)
    return [np.reshape(np.arange(n), (1,) * i + (n,) + (1,) * (rank - i - 1)) for i, n in enumerate(sizes)]
