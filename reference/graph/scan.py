"""`graph.scan`, and `tensor.scan`, which means the same."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.scan import ScanOp
from mlc.dialects.scan import ScanLike
from mlc.dialects.tensor import ScanOp as KernelScanOp
from mlc.reference.execution import Frame, executes
from mlc.support.dtypes import to_numpy
from mlc.support.types import tensor_type


@executes(ScanOp, KernelScanOp)
def scan(op: ScanLike, frame: Frame) -> None:
    """Its body, once per step."""
    carried = [frame[v] for v in op.initial]
    taken = [frame[v][::-1] if back else frame[v] for v, back in zip(op.rows_of, op.taken_backwards, strict=True)]
    used = [frame[v] for v in op.captured]
    steps: list[list[np.ndarray]] = []
    for step in range(op.steps):
        found = frame.run_block(op.body.block, [*carried, *(rows[step] for rows in taken), *used])
        carried = found[: len(carried)]
        steps.append(found[len(carried) :])
    for result, array in zip(op.last_values, carried, strict=True):
        frame[result] = array
    for i, (result, back) in enumerate(zip(op.stacks, op.stacked_backwards, strict=True)):
        kind = tensor_type(result)
        stack = np.empty(kind.get_shape(), to_numpy(kind.element_type))
        for step, rows in enumerate(steps):
            stack[len(steps) - 1 - step if back else step] = rows[i]
        frame[result] = stack
