"""What computing with constants costs, and how it is done: one number stands for equal elements as far as it can.

`ConstantOfShape` and its like make tensors of any size of some bytes. An array of which all strides are 0 stands for
them; the elements of what is computed from it, element by element, are equal as well, so that one is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.dialects.graph import GraphOp
from mlc.dialects.graph.moves import MoveOp
from mlc.dialects.graph.types import shape_of
from mlc.reference import graph as reference
from mlc.reference.fixed_order import fixed_order

Array = NDArray[Any]
LARGE_SPLAT = 1 << 20
"""Equal elements of more bytes than this are a broadcast number: `dense` would have all of them in memory."""


def is_splat(array: Array) -> bool:
    """Whether one number in memory stands for all elements, of which there are some."""
    return array.size > 0 and not any(s for s, n in zip(array.strides, array.shape, strict=True) if n > 1)


def stored_bytes(array: Array) -> int:
    """What an array takes in memory, and as a constant."""
    return array.itemsize if is_splat(array) else array.nbytes


def gives_splat(op: GraphOp, arrays: Sequence[Array]) -> bool:
    """Whether the elements of the result are equal because those of each operand are, and there are any."""
    return (op.MAPS or isinstance(op, MoveOp)) and 0 not in shape_of(op.result) and all(map(is_splat, arrays))


def computed(op: GraphOp, arrays: Sequence[Array]) -> Array:
    """The result of an op for these operands, the same on all machines.

    Raises:
        UndefinedBehavior: there is none, such as an element at an index out of range.
    """
    shape = shape_of(op.result)
    if not gives_splat(op, arrays):
        with fixed_order():
            (result,) = reference.evaluate(op, arrays)
        return result
    ones = [array[(slice(0, 1),) * array.ndim] for array in arrays]
    if not op.MAPS:
        return np.broadcast_to(ones[0].reshape(()), shape)
    with fixed_order():
        (one,) = reference.evaluate(op, ones)
    return np.broadcast_to(one.reshape(()), shape)
