"""Images that are resampled: one operator in inference, right in training."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.frameworks.eager import assert_as_eager, assert_same_gradients, backend, compiled, torch

interpolate = torch.nn.functional.interpolate
_CASES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "linear": ((2, 3, 7), {"size": 11, "mode": "linear"}),
    "bilinear": ((1, 3, 5, 6), {"size": (9, 4), "mode": "bilinear"}),
    "bilinear from corner to corner": ((1, 3, 5, 6), {"scale_factor": 2.5, "mode": "bilinear", "align_corners": True}),
    "trilinear": ((1, 2, 3, 4, 5), {"scale_factor": (2, 1.5, 1), "mode": "trilinear"}),
    "nearest": ((1, 3, 5, 6), {"size": (8, 13), "mode": "nearest"}),
    "nearest in one dim": ((2, 3, 7), {"scale_factor": 1.7, "mode": "nearest"}),
    "nearest exact": ((1, 3, 5, 6), {"size": (8, 13), "mode": "nearest-exact"}),
    "bilinear of what is covered": ((1, 3, 16, 9), {"size": (5, 12), "mode": "bilinear", "antialias": True}),
    "bicubic of what is covered": ((2, 1, 16, 13), {"scale_factor": 0.3, "mode": "bicubic", "antialias": True}),
    "corners of what is covered": (
        (1, 2, 11, 16),
        {"size": (4, 20), "mode": "bicubic", "antialias": True, "align_corners": True},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", _CASES)
def test_inference_keeps_it_whole(name: str) -> None:
    shape, options = _CASES[name]
    assert_as_eager(lambda x: interpolate(x, **options), torch.randn(shape))
    (graph,) = backend.report().graphs
    assert (graph.kind, graph.operators, graph.fallbacks.total()) == ("inference", 1, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bilinear", "nearest"])
def test_training_takes_it_apart(name: str) -> None:
    shape, options = _CASES[name]
    assert_same_gradients(lambda x: interpolate(x, **options).square(), torch.randn(shape, requires_grad=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in _CASES if "covered" in name])
def test_gradients_of_what_is_covered(name: str) -> None:
    shape, options = _CASES[name]
    assert_same_gradients(lambda x: interpolate(x, **options).square(), torch.randn(shape, requires_grad=True))
    assert not backend.report().fallbacks


@pytest.mark.slow
@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_pixels_that_are_integers(mode: str, antialias: bool) -> None:
    """Torch rounds weights, too, so that one pixel value may be between."""
    image = torch.randint(0, 256, (1, 3, 9, 14), dtype=torch.uint8)
    fast = compiled(lambda x: interpolate(x, size=(5, 20), mode=mode, antialias=antialias))
    expected = interpolate(image, size=(5, 20), mode=mode, antialias=antialias)
    found = fast(image)
    assert found.dtype == torch.uint8
    assert (found.int() - expected.int()).abs().max() <= 1
