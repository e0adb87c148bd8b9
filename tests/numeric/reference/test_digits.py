"""The trained example models recognise digits, run by the reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlc
from mlc.compiler.compilation import new_context
from mlc.reference.interpreter import run_function
from mlc.support.resources import Resources
from mlc.syntax import parse_module

DIGITS = Path(mlc.__file__).parent / "examples" / "digits"


@pytest.mark.parametrize(("model", "least"), [("mlp", 0.96), ("cnn", 0.975)])
def test_held_out_accuracy(model: str, least: float) -> None:
    test_set = Resources()
    test_set.open_file("test", "test.safetensors", DIGITS, None)
    images, labels = test_set.array("image"), test_set.array("labels")
    assert (images.dtype, labels.dtype) == (np.float32, np.int64)
    assert images.shape == (len(labels), 8, 8)
    ctx = new_context()
    file = DIGITS / f"{model}.mlir"
    module = parse_module(file.read_text(), str(file), ctx)
    right = 0
    for image, label in zip(images, labels, strict=True):
        (scores,) = run_function(module, "main", [image[None]], ctx.resources)
        assert scores.shape == (1, 10)
        right += int(scores.argmax() == label)
    assert right / len(labels) >= least


def test_the_examples_are_small() -> None:
    assert sum(f.stat().st_size for f in DIGITS.iterdir() if f.is_file()) < 300_000
