"""Inputs that models are measured with: random numbers, but for integers that say how much of a dim is data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.tensor import CollapseShapeOp, ExpandShapeOp
from xdsl.ir import BlockArgument, SSAValue

from mlc.dialects.loop import LIMITS, LimitsAttr
from mlc.dialects.tensor import StructuredOp
from mlc.reference.inputs import random_array
from mlc.runtime import Model
from mlc.support.dtypes import dtype_named
from mlc.support.functions import models_of
from mlc.tuning.measure import aligned

Array = NDArray[Any]
Counts = Mapping[int, int]
"""For inputs that say how much of a dim is data, by their places, the number for which all of it is."""


def counts_of(module: ModuleOp) -> Counts:
    """Those of the model in a module at the tensor level, of whose kernels loops end where an input says (`limits`).

    A cache that is measured empty costs nothing: attention over it would take the time of one key.
    """
    named = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    main, *_ = models_of(module)
    found: dict[int, int] = {}
    for call in main.body.block.ops:
        if isinstance(call, CallOp) and (kernel := named.get(call.callee.string_value())) is not None:
            for argument, count in _counts_of_kernel(kernel).items():
                place = _place(call.arguments[argument])
                if place is not None:
                    found[place] = max(count, found.get(place, 0))
    return found


def random_inputs(model: Model, counts: Counts, seed: int = 0) -> list[Array]:
    """An array for each input of a model, the same ones for the same seed."""
    generator = np.random.default_rng(seed)
    arrays = [aligned(random_array(generator, t.shape, dtype_named(t.dtype))) for t in model.inputs]
    for place, count in counts.items():
        if place < len(arrays):
            arrays[place][...] = count
    return arrays


def _counts_of_kernel(kernel: FuncOp) -> dict[int, int]:
    """By the kernel's own arguments; where loops only begin at an input, any number will do."""
    said = kernel.attributes.get(LIMITS)
    if not isinstance(said, LimitsAttr):
        return {}
    extents = {
        name: size
        for op in kernel.body.block.ops
        if isinstance(op, StructuredOp)
        for name, size in zip(op.dim_names, op.dim_sizes, strict=True)
    }
    found: dict[int, int] = {}
    for limit in said.data:
        if not limit.is_start and limit.dim in extents:
            count = -(-extents[limit.dim] // limit.factor) * limit.over - limit.plus
            found[limit.argument] = max(count, found.get(limit.argument, 0))
    return found


def _place(value: SSAValue) -> int | None:
    """Which input a value is, perhaps in another shape."""
    while isinstance(value.owner, CollapseShapeOp | ExpandShapeOp):
        value = value.owner.operands[0]
    return value.index if isinstance(value, BlockArgument) else None
