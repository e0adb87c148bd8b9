"""The trained example models, compiled: as accurate as the reference, for every machine that can run here."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from mlc.compiler.compilation import new_context
from mlc.reference.interpreter import run_function
from mlc.support.resources import Resources
from mlc.syntax import parse_module
from mlc.targets import host
from mlc.targets.machine import resolve_target
from mlc.targets.toolchain import find_emulator
from mlc.tools.mlc import main as run_mlc

Array = NDArray[Any]

DIGITS = Path(mlc.__file__).parent / "examples" / "digits"
LEAST_ACCURACY = {"mlp": 0.96, "cnn": 0.975}
ABSOLUTE, RELATIVE = 1e-5, 1e-6
"""How far a score may be from the reference's: a few units in the last place, as scores go up to 20."""


@cache
def _test_set() -> tuple[Array, Array]:
    """Images [359, 8, 8] and labels [359]."""
    resources = Resources()
    resources.open_file("test", "test.safetensors", DIGITS, None)
    return resources.array("image"), resources.array("labels")


@cache
def _reference(model: str) -> Array:
    """The scores [359, 10] by the reference."""
    images, _ = _test_set()
    ctx = new_context()
    file = DIGITS / f"{model}.mlir"
    module = parse_module(file.read_text(), str(file), ctx)
    scores = [run_function(module, "main", [image[None]], ctx.resources)[0] for image in images]
    return np.concatenate(scores)


def _check(model: str, scores: Array) -> None:
    images, labels = _test_set()
    expected = _reference(model)
    assert scores.shape == expected.shape == (len(images), 10)
    np.testing.assert_allclose(scores, expected, RELATIVE, ABSOLUTE)
    right = scores.argmax(axis=1) == labels
    np.testing.assert_array_equal(scores.argmax(axis=1), expected.argmax(axis=1))
    assert right.mean() == (expected.argmax(axis=1) == labels).mean() >= LEAST_ACCURACY[model]


@pytest.mark.parametrize("target", ["native", "x86-64-v2", "x86-64-v3"])
@pytest.mark.parametrize("model", LEAST_ACCURACY)
def test_compiled_here(model: str, target: str) -> None:
    try:
        run = mlc.compile(DIGITS / f"{model}.mlir", target=target)
    except mlc.ArtifactError as e:
        pytest.skip(str(e))
    images, _ = _test_set()
    _check(model, np.concatenate([run(image[None]) for image in images]))


@pytest.mark.parametrize("opt_level", [0, 1, 2])
@pytest.mark.parametrize("model", LEAST_ACCURACY)
def test_optimisation_levels(model: str, opt_level: int) -> None:
    run = mlc.compile(DIGITS / f"{model}.mlir", opt_level=opt_level)
    images, _ = _test_set()
    _check(model, np.concatenate([run(image[None]) for image in images]))


@pytest.mark.parametrize("model", LEAST_ACCURACY)
def test_program(model: str, tmp_path: Path) -> None:
    """An executable reads images from its standard input, as many as there are, and writes their scores."""
    program = tmp_path / model
    assert run_mlc(["compile", str(DIGITS / f"{model}.mlir"), "-o", str(program)]) == 0
    images, _ = _test_set()
    done = subprocess.run([program], input=images.tobytes(), capture_output=True, check=True)
    _check(model, np.frombuffer(done.stdout, np.float32).reshape(-1, 10))


@pytest.mark.parametrize("target", ["aarch64", "neoverse-n1", "x86-64-v2"])
@pytest.mark.parametrize("model", LEAST_ACCURACY)
def test_other_machines(model: str, target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`mlc run` runs a model for another architecture in an emulator."""
    arch = resolve_target(target).arch
    if arch != host.architecture() and find_emulator(arch) is None:
        pytest.skip(f"there is no emulator of {arch} on this machine")
    answers = tmp_path / "answers.safetensors"
    files = ["--inputs", str(DIGITS / "test.safetensors"), "--outputs", str(answers), "-o", str(tmp_path / model)]
    status = run_mlc(["run", str(DIGITS / f"{model}.mlir"), "--target", target, *files, "--check-labels"])
    printed = capsys.readouterr()
    assert status == 0, printed.err
    outputs = Resources()
    outputs.open_file("answers", str(answers), tmp_path, None)
    (name,) = outputs.names()
    scores = outputs.array(name).reshape(-1, 10)
    _check(model, scores)
    accuracy = 100 * (scores.argmax(axis=1) == _test_set()[1]).mean()
    assert f"accuracy: {accuracy:.2f}%" in printed.out
