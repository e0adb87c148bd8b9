"""Matrix products; they accumulate in the element type."""

from __future__ import annotations

from mlc.dialects.graph.contraction import MatmulOp
from mlc.reference.execution import Array, evaluates
from mlc.reference.fixed_order import matmul as product_of_matrices


@evaluates(MatmulOp)
def matmul(op: MatmulOp, lhs: Array, rhs: Array) -> Array:
    """`[..., m, k] x [..., k, n]`."""
    return product_of_matrices(lhs, rhs)
