"""Models that are cut into pieces and put together again, compiled: few kernels, which work on any of the pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects import func

from mlc.compiler.compilation import new_context
from mlc.pass_manager.default_passes import default_passes
from mlc.pass_manager.manager import PassManager
from mlc.syntax import parse_module

Array = NDArray[Any]
Run = Callable[..., list[Array]]

OPS: dict[str, Callable[[Array], Array]] = {"relu": lambda x: np.maximum(x, 0), "neg": np.negative, "abs": np.abs}


def _pieces(rows: int, widths: int, count: int) -> str:
    """`count` pieces of so many columns, each through one of `OPS`, put together in another order."""
    x, piece, ops = f"tensor<{rows}x{widths * count}xf32>", f"tensor<{rows}x{widths}xf32>", list(OPS)
    lines = [f"func.func @main(%x: {x}) -> {x} {{"]
    for i in range(count):
        start, stop = i * widths, (i + 1) * widths
        lines += [
            f"%s{i} = graph.slice %x starts [0, {start}] ends [{rows}, {stop}] strides [1, 1] : {x} -> {piece}",
            f"%r{i} = graph.{ops[i % len(ops)]} %s{i} : {piece}",
        ]
    order = ", ".join(f"%r{i * 5 % count}" for i in range(count))
    types = ", ".join([piece] * count)
    return "\n".join([*lines, f"%y = graph.concat {order} axis 1 : {types} -> {x}", f"return %y : {x}", "}"])


def _expected(x: Array, widths: int, count: int) -> Array:
    ops = list(OPS.values())
    results = [ops[i % len(ops)](x[:, i * widths : (i + 1) * widths]) for i in range(count)]
    return np.concatenate([results[i * 5 % count] for i in range(count)], axis=1)


@pytest.mark.parametrize(
    ("rows", "widths", "count", "kernels"),
    [(8, 1, 24, 5), (8, 16, 6, 3), (3, 7, 12, 4), (1, 5, 9, 4)],
    ids=["columns are copied", "vectors", "parts of vectors", "one row"],
)
def test_pieces(rows: int, widths: int, count: int, kernels: int, run_compiled: Run) -> None:
    """A kernel for each op, for columns one that copies them out and one that copies them in; and, where vectors read
    more than a piece, one for the last piece, behind which there is nothing."""
    ctx = new_context()
    module = parse_module(_pieces(rows, widths, count), "pieces", ctx)
    lowered = module.clone()
    PassManager(ctx).run(lowered, default_passes(3, upto="loop"))
    assert sum(isinstance(op, func.FuncOp) for op in lowered.ops) - 1 == kernels
    x = np.random.default_rng(0).standard_normal((rows, widths * count), np.float32)
    (found,) = run_compiled(module, [x])
    np.testing.assert_array_equal(found, _expected(x, widths, count))
