"""The example models in integers of 8 bits read digits nearly as well as in floats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlc
from mlc.quantization import METHODS
from mlc.support.resources import read_tensors

_DIGITS = Path(mlc.__file__).parent / "examples" / "digits"
_MOST_LOST = 0.005
"""The part of all images that may be read wrong in integers only."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("name", ["mlp", "cnn"])
def test_accuracy(name: str, symmetric: bool, method: str) -> None:
    tensors = read_tensors(_DIGITS / "test.safetensors")
    images, labels = tensors["image"], tensors["labels"]
    model = mlc.quantize(_DIGITS / f"{name}.mlir", images[:100], calibration=method, symmetric=symmetric)

    def right(run: mlc.Model) -> float:
        return float(np.mean([run(image[None]).argmax() == label for image, label in zip(images, labels, strict=True)]))

    assert right(mlc.compile(model.module)) >= right(mlc.compile(_DIGITS / f"{name}.mlir")) - _MOST_LOST
    assert model.error < 0.05 and model.bytes < 0.35 * model.bytes_before
