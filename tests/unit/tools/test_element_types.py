"""Every element type goes in and out of an artifact under its own name: in Python, in C, in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file  # pyright: ignore[reportUnknownVariableType]

import mlc
from mlc.support.dtypes import ELEMENT_TYPES, STORED_TYPES, ElementType, dtype_named, in_safetensors
from mlc.support.resources import read_tensors

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_MODEL = """
func.func @main(%x: tensor<2x3x{0}>) -> tensor<2x3x{0}> {{
  %least = graph.constant dense_resource<least> : tensor<3x{0}>
  %larger = graph.{1} %x, %least : tensor<2x3x{0}>, tensor<3x{0}> -> tensor<2x3x{0}>
  return %larger : tensor<2x3x{0}>
}}

{{-# external_resources: {{ mlc: {{ weights: "w.safetensors" }} }} #-}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("element", ELEMENT_TYPES, ids=lambda e: str(e.type))
def test_artifacts(element: ElementType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mlc: CommandLine) -> None:
    monkeypatch.chdir(tmp_path)
    dtype = dtype_named(element.dtype)
    x = np.array([[1, 0, 3], [100, 5, 1]]).astype(dtype)
    least = np.array([0, 2, 2]).astype(dtype)
    save_file({"x": x}, "in.safetensors")
    save_file({"least": least}, "w.safetensors")
    Path("model.mlir").write_text(_MODEL.format(element.type, "or" if dtype == np.bool_ else "max"))
    result = mlc("run", "model.mlir", "--inputs", "in.safetensors", "--outputs", "out.safetensors", "-o", "model.so")
    assert result.status == 0, result.err
    wanted = np.maximum(x, least)
    found = load_file("out.safetensors")["larger"]
    assert found.dtype == dtype and (found == wanted).all()
    assert mlc("compile", "model.mlir", "-o", "model.h").status == 0
    assert f'{{"x", {element.c_constant}, 2, ' in Path("model.h").read_text()
    _call(x, wanted)


def _call(x: np.ndarray, wanted: np.ndarray) -> None:
    model = mlc.load("model.so")
    assert [t.dtype for t in (*model.inputs, *model.outputs)] == [str(x.dtype)] * 2
    found = model(x)
    assert found.dtype == x.dtype and (found == wanted).all()


_STORED_MODEL = """
func.func @main(%x: tensor<2x3x{0}>) -> tensor<3x3x{0}> {{
  %row = graph.constant dense_resource<row> : tensor<1x3x{0}>
  %y = graph.concat %x, %row axis 0 : tensor<2x3x{0}>, tensor<1x3x{0}> -> tensor<3x3x{0}>
  return %y : tensor<3x3x{0}>
}}

{{-# external_resources: {{ mlc: {{ weights: "w.safetensors" }} }} #-}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("element", STORED_TYPES, ids=lambda e: str(e.type))
def test_types_that_are_only_stored(
    element: ElementType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mlc: CommandLine
) -> None:
    """Files hold those that safetensors has no name for as bytes."""
    monkeypatch.chdir(tmp_path)
    dtype = dtype_named(element.dtype)
    x = np.array([[1, 0, 3], [2, 3, 1]], np.uint8).view(dtype)
    row = np.array([[3, 2, 1]], np.uint8).view(dtype)
    save_file({"x": in_safetensors(x)}, "in.safetensors")
    save_file({"row": in_safetensors(row)}, "w.safetensors")
    Path("model.mlir").write_text(_STORED_MODEL.format(element.type))
    result = mlc("run", "model.mlir", "--inputs", "in.safetensors", "--outputs", "out.safetensors", "-o", "model.so")
    assert result.status == 0, result.err
    wanted = np.concatenate([x, row])
    found = read_tensors(Path("out.safetensors"))["y"]
    assert found.dtype == (dtype if element.safetensors else np.uint8) and found.tobytes() == wanted.tobytes()
    assert mlc("compile", "model.mlir", "-o", "model.h").status == 0
    assert f'{{"x", {element.c_constant}, 2, ' in Path("model.h").read_text()
    _call(x, wanted)
