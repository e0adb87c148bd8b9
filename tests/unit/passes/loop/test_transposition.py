"""Blocks in registers: every shape, every element size, against NumPy."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from xdsl.dialects import vector
from xdsl.dialects.builtin import VectorType, f32, f64, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.test_value import create_ssa_value

from mlc.passes.loop._transposition import transposed
from mlc.reference.execution import Array
from mlc.reference.vector import shuffle


@pytest.mark.parametrize("element", [f64, f32, i32, i64], ids=str)
@pytest.mark.parametrize(("height", "width"), [(1 << p, 1 << q) for p in range(6) for q in range(p + 1)])
def test_columns(height: int, width: int, element: Attribute) -> None:
    block = np.arange(height * width).reshape(height, width)
    kind = VectorType(element, [width])
    rows = [create_ssa_value(kind) for _ in block]
    values: dict[SSAValue, Array] = dict(zip(rows, block, strict=True))
    ops, columns = transposed(rows)
    for op in ops:
        assert isinstance(op, vector.ShuffleOp)
        values[op.result] = shuffle(op, *[values[v] for v in op.operands])
    np.testing.assert_array_equal([values[c] for c in columns], block.T)
    assert len(ops) == width * log2(width) + (height - width if height > width else 0)
