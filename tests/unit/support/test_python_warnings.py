"""Warnings point at the line of the program that called mlc."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

import mlc
from mlc.support.python_warnings import warn_caller


def _inside(module: str, depth: int) -> Callable[[], object]:
    """A function of a module of that name that warns, so many calls below."""
    names: dict[str, object] = {"__name__": module, "warn": warn_caller}
    exec("def call(n):\n    return call(n - 1) if n else warn('look')", names)
    call = names["call"]
    assert callable(call)
    return partial(call, depth)


@pytest.mark.parametrize(("module", "depth"), [("mlc", 0), ("mlc.api", 0), ("mlc.tools.deep", 5)])
def test_frames_of_mlc_are_skipped(module: str, depth: int) -> None:
    with pytest.warns(UserWarning, match="^look$") as caught:
        _inside(module, depth)()
    assert caught[0].filename == __file__


def test_other_packages_are_not_skipped() -> None:
    with pytest.warns(UserWarning, match="^look$") as caught:
        _inside("mlcx", 0)()
    assert caught[0].filename == "<string>"


def test_compiling_warns_at_the_line_that_asked_for_it(tmp_path: Path) -> None:
    """Also where the artifact is recalled, and where weights are given as arrays."""
    text = """
    func.func @main(%x: tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32> {
      %w = graph.constant dense_resource<w> : tensor<3x3x64x64xf32>
      %0 = graph.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"}
          : tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32> -> tensor<1x56x56x64xf32>
      return %0 : tensor<1x56x56x64xf32>
    }
    """
    weights = {"w": np.random.default_rng(0).standard_normal((3, 3, 64, 64)).astype(np.float32)}
    path = tmp_path / "model.mlir"
    path.write_text(text + '{-# external_resources: { mlc: { weights: "w.safetensors" } } #-}\n')
    save_file(weights, tmp_path / "w.safetensors")
    for model, given in ((text, weights), (path, None), (path, None)):
        with pytest.warns(UserWarning, match="the largest error on random images is") as caught:
            mlc.compile(model, weights=given, accuracy="fast")
        told = next(each for each in caught if each.category is UserWarning)  # not the collector
        assert told.filename == __file__
        assert linecache.getline(__file__, told.lineno).strip().startswith("mlc.compile(")
