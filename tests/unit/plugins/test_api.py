"""Plugins from Python: they stay loaded, and a file that is imported too is one module."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import mlc
from mlc.support.additions import plugin_scope

_SCALE = Path(__file__).parents[2] / "lit" / "plugins" / "Inputs" / "scale.py"
_MODEL = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = scale.by %x, 3.0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def test_compile_and_run() -> None:
    with plugin_scope():
        mlc.load_dialect(_SCALE)
        model = mlc.compile(_MODEL)
    np.testing.assert_array_equal(model(np.arange(4, dtype=np.float32)), [0, 3, 6, 9])
    with pytest.raises(mlc.UserError, match="unknown dialect 'scale'"):
        mlc.parse(_MODEL)


@pytest.mark.parametrize("imported_first", [True, False])
def test_a_file_is_one_module(imported_first: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"scale_{imported_first}".lower()
    shutil.copy(_SCALE, tmp_path / f"{name}.py")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    with plugin_scope():
        if imported_first:
            __import__(name)
        mlc.load_dialect(tmp_path / f"{name}.py")
        module = __import__(name)
        (function,) = mlc.parse(_MODEL).ops
        first = next(iter(function.regions[0].block.ops))
        assert isinstance(first, module.ByOp)
    assert (name in sys.modules) == imported_first
    sys.modules.pop(name, None)


def test_a_pass_alone() -> None:
    with plugin_scope():
        mlc.load_dialect(_SCALE)
        mlc.load_pass(_SCALE.parent / "merge_scales.py")
        mlc.load_pass(_SCALE.parent / "merge_scales.py")
