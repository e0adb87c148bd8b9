"""Images that are resampled: one operator in inference, right in training."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.frameworks.eager import assert_as_eager, assert_same_gradients, backend, torch

interpolate = torch.nn.functional.interpolate
_CASES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "linear": ((2, 3, 7), {"size": 11, "mode": "linear"}),
    "bilinear": ((1, 3, 5, 6), {"size": (9, 4), "mode": "bilinear"}),
    "bilinear from corner to corner": ((1, 3, 5, 6), {"scale_factor": 2.5, "mode": "bilinear", "align_corners": True}),
    "trilinear": ((1, 2, 3, 4, 5), {"scale_factor": (2, 1.5, 1), "mode": "trilinear"}),
    "nearest": ((1, 3, 5, 6), {"size": (8, 13), "mode": "nearest"}),
    "nearest in one dim": ((2, 3, 7), {"scale_factor": 1.7, "mode": "nearest"}),
    "nearest exact": ((1, 3, 5, 6), {"size": (8, 13), "mode": "nearest-exact"}),
}


@pytest.mark.parametrize("name", _CASES)
def test_inference_keeps_it_whole(name: str) -> None:
    shape, options = _CASES[name]
    assert_as_eager(lambda x: interpolate(x, **options), torch.randn(shape))
    (graph,) = backend.report().graphs
    assert (graph.kind, graph.operators, graph.fallbacks.total()) == ("inference", 1, 0)


@pytest.mark.parametrize("name", ["bilinear", "nearest"])
def test_training_takes_it_apart(name: str) -> None:
    shape, options = _CASES[name]
    assert_same_gradients(lambda x: interpolate(x, **options).square(), torch.randn(shape, requires_grad=True))
