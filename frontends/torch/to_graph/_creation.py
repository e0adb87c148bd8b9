"""Operators that make tensors of numbers that are known."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from mlc.frontends.operators.open_shapes import counted, expanded, splat
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.torch.to_graph._calls import Call, Results, Scalar
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.support.dtypes import to_numpy


@converts("full", "full_like", "new_full", "fill.Scalar", "scalar_tensor", bounded=True, sizes=("fill_value", "s"),
          parts=True)  # fmt: skip
@converts("fill.Tensor")
def full(
    b: Call, fill_value: Scalar | None = None, value: SSAValue | Scalar | None = None, s: Scalar | None = None
) -> Results:
    """One number everywhere, whatever the operator calls it."""
    number = next(n for n in (fill_value, value, s) if n is not None)
    value = b.tensor(number)
    return expanded(b, value, b.sizes()) if b.is_open() else b.broadcast(value, b.shape())


@converts("zeros", "zeros_like", "new_zeros", "empty.memory_format", "empty_like", "new_empty", "empty_strided",
          "new_empty_strided", "empty_permuted", bounded=True, parts=True)  # fmt: skip
def zeros(b: Call) -> Results:
    """Zeros, which are as good as what happens to be in memory."""
    return splat(b, 0, b.sizes(), b.element())


@converts("ones", "ones_like", "new_ones", bounded=True)
def ones(b: Call) -> Results:
    """Ones of the shape and the type of the result."""
    return splat(b, 1, b.sizes(), b.element())


@converts("arange", "arange.start", "arange.start_step", sizes=("start", "end"))
def arange(b: Call, end: Scalar, start: Scalar = 0, step: Scalar = 1) -> Results:
    """`start + i * step`, computed in the type of the result if that is float, else exactly."""
    dtype = to_numpy(b.element())
    if b.is_open():
        if not isinstance(step, int) or isinstance(start, float) or isinstance(end, float):
            raise Unconvertible(f"it counts in steps of {step}, to an extent that is known at the call only")
        return counted(b, start, end, step, b.element())
    numbers = np.arange(b.shape()[0])
    if dtype.kind in "iu":
        return b.constant((int(start) + numbers * int(step)).astype(dtype), b.element())
    return b.constant((start + numbers * float(step)).astype(dtype), b.element())


@converts("eye", "eye.m")
def eye(b: Call) -> Results:
    """Ones on the main diagonal of a matrix, zeros elsewhere."""
    return b.constant(np.eye(*b.shape(), dtype=to_numpy(b.element())), b.element())


@converts("linspace")
def linspace(b: Call, start: Scalar, end: Scalar) -> Results:
    """Computed from both ends, as torch does, so that each is met."""
    count, dtype = b.shape()[0], to_numpy(b.element())
    wide = np.float64 if dtype.kind in "iu" or dtype == np.float64 else np.float32
    step = (wide(end) - wide(start)) / wide(max(count - 1, 1))
    at = np.arange(count).astype(wide)
    numbers = np.where(np.arange(count) < count // 2, wide(start) + at * step, wide(end) - at[::-1] * step)
    if count == 1:
        numbers = np.array([start])
    return b.constant(numbers.astype(dtype), b.element())
