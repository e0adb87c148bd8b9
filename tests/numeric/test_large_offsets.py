"""Norms and variances of numbers that differ by little, or not at all, but are large: beside PyTorch in f64."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")
from mlc.testing.torch_graphs import run_graph, traced  # noqa: E402

functional = torch.nn.functional
_CASES: dict[str, Callable[[Any], Any]] = {
    "layer_norm": lambda x: functional.layer_norm(x, x.shape[2:]),
    "layer_norm_rows": lambda x: functional.layer_norm(x.flatten(2), (x.shape[2] * x.shape[3],)),
    "layer_norm_sum": lambda x: functional.layer_norm(x + x, x.shape[3:]),
    "group_norm": lambda x: functional.group_norm(x, 2),
    "instance_norm": lambda x: functional.instance_norm(x),
    "batch_norm": lambda x: functional.batch_norm(x, None, None, training=True),
    "var": lambda x: torch.var(x, (2, 3)),
    "std": lambda x: torch.std(x, 3),
    "var_mean": lambda x: torch.var_mean(x, (0, 2, 3))[0],
}


@pytest.mark.parametrize("name", _CASES)
def test_numbers_that_hardly_differ(name: str) -> None:
    """Rows of one number have a variance of 0, rows of few values next to each other the one that they have."""
    random, shape = np.random.default_rng(5), (2, 4, 7, 33)
    # A mean that is rounded to 8, the distance of f32 here, is off by up to a fifth of the deviation.
    near = np.float32(1e8) + 8 * random.integers(0, 9, shape).astype(np.float32)
    given = [np.full(shape, 1e8, np.float32), np.full(shape, 0.1, np.float32), near, random.standard_normal(shape)]
    for x, tolerance in zip(given, (0, 0, 1e-4 if name in ("var", "std") else 0.2, 2e-5), strict=True):
        x = torch.from_numpy(x.astype(np.float32))
        (found,) = run_graph(traced(lambda x: [_CASES[name](x)], [x]), [x], native=True)
        expected = _CASES[name](x.double())
        worst, largest = float((found - expected).abs().max()), float(expected.abs().max())
        assert worst <= tolerance * largest + 1e-5  # PyTorch rounds, too
