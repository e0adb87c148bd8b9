"""The first node of an ONNX model whose value is another one than in ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, OpResult

from mlc.pass_manager.snapshots import Snapshot
from mlc.support.dtypes import is_float
from mlc.tools.other_results import onnx_values
from mlc.tools.value_trace import Trace

Array = NDArray[Any]
_TOLERANCE = 1e-3
"""By which part of the largest number of a value two engines may differ, and of each number."""


@dataclass(frozen=True)
class WrongNode:
    """A value of a node, which is the result of an op, at the first element that differs."""

    op: Operation
    value: str
    index: tuple[int, ...]
    found: Any
    required: Any
    """What ONNX Runtime computes."""


def first_wrong_node(file: str, form: Snapshot, function: str, inputs: Sequence[Array]) -> WrongNode | None:
    """The first op that gives a value of the ONNX file `file` which ONNX Runtime does not compute for these inputs.

    Values are compared that have the names that the file gives them, in the order in which they are computed; None if
    all of these agree.

    Raises:
        UserError: ONNX Runtime does not run the model.
    """
    theirs = onnx_values(file, inputs)
    for value, traced in Trace(form, function, inputs).values.items():
        right = theirs.get(value.name_hint or "")
        if right is None or not isinstance(value, OpResult):
            continue
        found = traced.parts[-1]
        if found.shape != right.shape or found.dtype != right.dtype:
            continue
        different = _differ(right, found)
        if np.any(different):
            where = tuple(int(i) for i in np.argwhere(different)[0])
            return WrongNode(value.op, value.name_hint or "", where, found[where], right[where])
    return None


def _differ(right: Array, found: Array) -> Array:
    if not is_float(right.dtype):
        return np.asarray(right != found)
    a, b = right.astype(np.float64), found.astype(np.float64)
    largest = np.max(np.abs(a), where=np.isfinite(a), initial=0.0)
    return ~np.isclose(a, b, rtol=_TOLERANCE, atol=_TOLERANCE * largest, equal_nan=True)
