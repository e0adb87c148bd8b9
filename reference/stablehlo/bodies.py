"""Regions of StableHLO as functions of arrays.

A region on scalars, such as that of a reduction, is run once for all elements where each of its ops computes element by
element: then the arguments are whole arrays. Any other region runs once per element.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Block

from mlc.dialects.stablehlo import HloOp
from mlc.reference.execution import Array, Frame


def is_pointwise(block: Block) -> bool:
    """Whether each op of a region computes element by element."""
    return all(isinstance(op, HloOp) and (op.POINTWISE or op is block.last_op) for op in block.ops)


def apply(frame: Frame, block: Block, arguments: Sequence[Array]) -> list[Array]:
    """What a region on scalars gives for each element of its arguments, which are of one shape, or numbers."""
    shape = np.broadcast_shapes(*(a.shape for a in arguments)) if arguments else ()
    if is_pointwise(block):
        return [np.broadcast_to(np.asarray(r), shape) for r in frame.run_block(block, arguments)]
    wide = [np.broadcast_to(a, shape) for a in arguments]
    found: list[list[Array]] = [frame.run_block(block, [np.asarray(a[i]) for a in wide]) for i in np.ndindex(*shape)]
    if not found:
        return [np.broadcast_to(np.asarray(r), shape) for r in frame.run_block(block, arguments)]
    return [np.reshape(np.stack([np.asarray(row[i]) for row in found]), shape) for i in range(len(found[0]))]
