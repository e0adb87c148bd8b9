"""`mlc.parse`, `mlc.compile`, `mlc.load`: the Python API."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

import mlc

_MODEL = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = graph.add %x, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}
"""
_WITH_WEIGHTS = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %w = graph.constant dense_resource<w> : tensor<3xf32>
  %y = graph.mul %x, %w : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}

{-# external_resources: { mlc: { weights: "w.safetensors" } } #-}
"""
_X = np.array([1, 2, 3], np.float32)


@pytest.fixture
def weighted(tmp_path: Path) -> Path:
    save_file({"w": np.array([5, 6, 7], np.float32)}, tmp_path / "w.safetensors")
    path = tmp_path / "model.mlir"
    path.write_text(_WITH_WEIGHTS)
    return path


def test_text() -> None:
    np.testing.assert_array_equal(mlc.compile(_MODEL)(_X), _X + _X)


@pytest.mark.parametrize("kind", [str, Path])
def test_path(kind: type, weighted: Path) -> None:
    np.testing.assert_array_equal(mlc.compile(kind(weighted))(_X), [5, 12, 21])


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path) -> None:
    path = tmp_path / "model.mlir"
    path.write_text("\ufeff" + _MODEL, encoding="utf-8")
    assert str(mlc.parse("\ufeff" + _MODEL)) == str(mlc.parse(path)) == str(mlc.parse(_MODEL))


def test_parsed_module_keeps_its_weights_and_stays_as_it_is(weighted: Path) -> None:
    module = mlc.parse(weighted)
    before = str(module)
    for _ in range(2):
        np.testing.assert_array_equal(mlc.compile(module, opt_level=1)(_X), [5, 12, 21])
    assert str(module) == before


def test_save_and_load(tmp_path: Path) -> None:
    mlc.compile(_MODEL).save(tmp_path / "m.so")
    np.testing.assert_array_equal(mlc.load(tmp_path / "m.so")(_X), _X + _X)


def test_a_function_of_any_name(tmp_path: Path) -> None:
    model = mlc.compile(_MODEL.replace("@main", "@encoder"))
    np.testing.assert_array_equal(model(_X), _X + _X)
    model.save(tmp_path / "m.so")
    assert mlc.load(tmp_path / "m.so").signature.name == "encoder"


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_levels(level: int) -> None:
    np.testing.assert_array_equal(mlc.compile(_MODEL, opt_level=level)(_X), _X + _X)


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(mlc.UserError, match="not found"):
        mlc.compile(tmp_path / "none.mlir")
    with pytest.raises(mlc.UserError, match="cannot read model"):
        mlc.parse(tmp_path)
    with pytest.raises(mlc.UserError, match="found an empty string as model; required: its text, or the path"):
        mlc.compile("")
    with pytest.raises(TypeError, match="found a model of type NoneType; required: its text, the path of a text file"):
        mlc.compile(None)  # pyright: ignore[reportArgumentType]
    with pytest.raises(mlc.UserError, match="unknown target 'pdp11'"):
        mlc.compile(_MODEL, target="pdp11")
    with pytest.raises(mlc.UserError, match="optimisation level 9 does not exist"):
        mlc.compile(_MODEL, opt_level=9)
    with pytest.raises(mlc.UserError, match="at least 1"):
        mlc.compile(_MODEL, threads=0)
    (tmp_path / "bad.mlir").write_bytes(b"\xff")
    with pytest.raises(mlc.UserError, match="is not UTF-8 text"):
        mlc.parse(tmp_path / "bad.mlir")
    with pytest.raises(AttributeError, match="module 'mlc' has no attribute 'nothing'"):
        _ = mlc.nothing  # pyright: ignore[reportUnknownVariableType, reportAttributeAccessIssue, reportUnknownMemberType]


def test_public_names_exist() -> None:
    for name in mlc.__all__:
        assert name in dir(mlc)
        assert getattr(mlc, name) is getattr(mlc, name)
