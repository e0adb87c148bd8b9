"""Matrix products; they accumulate in the element type of the result."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.contraction import MatmulOp
from mlc.dialects.graph.types import element_of
from mlc.reference.execution import Array, evaluates
from mlc.reference.fixed_order import matmul as product_of_matrices
from mlc.support.dtypes import to_numpy


@evaluates(MatmulOp)
def matmul(op: MatmulOp, lhs: Array, rhs: Array) -> Array:
    """`[..., m, k] x [..., k, n]`."""
    wide = np.promote_types(lhs.dtype, to_numpy(element_of(op.result)))  # halves come as f32
    return product_of_matrices(lhs.astype(wide, copy=False), rhs.astype(wide, copy=False))
