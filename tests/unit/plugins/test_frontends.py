"""A frontend that a plugin adds: all commands open its files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mlc as package
from mlc.frontends.registry import open_model, plugin_frontends
from mlc.plugins import load_pass
from mlc.support.additions import plugin_scope
from mlc.support.errors import UserError
from mlc.tests.conftest import CommandLine

_PLUGIN = Path(__file__).with_name("layers_frontend.py")


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "net.layers"
    path.write_text("input 4\nscale 2.5\nrelu\n")
    return str(path)


def test_from_python(model: str) -> None:
    with plugin_scope():
        load_pass(_PLUGIN)
        run = package.compile(model)
    np.testing.assert_array_equal(run(np.array([1, -2, 3, -0.5], np.float32)), [2.5, 0, 7.5, 0])
    assert open_model(model) is None  # the plugin is gone


def test_command_lines(model: str, mlc: CommandLine, mlc_opt: CommandLine, tmp_path: Path) -> None:
    load = ("--load-pass", str(_PLUGIN))
    opened = mlc_opt(*load, model, "--lower-to-tensor")
    assert opened.status == 0 and "tensor.map" in opened.out, opened.err
    compiled = mlc("compile", *load, model, "-o", str(tmp_path / "net.so"))
    assert compiled.status == 0, compiled.err
    found = package.load(tmp_path / "net.so")(np.array([1, -2, 3, -0.5], np.float32))
    np.testing.assert_array_equal(found, [2.5, 0, 7.5, 0])
    assert mlc("check", *load, model).status == 0
    unknown = mlc("import", "net.what", "-o", str(tmp_path / "net.mlir"))
    assert "models of other formats end in .gguf, .onnx, .pt2" in unknown.err


def test_a_changed_file_is_another_model(model: str, mlc: CommandLine, tmp_path: Path) -> None:
    library = tmp_path / "net.so"
    for factor in (2.0, 3.0):
        Path(model).write_text(f"input 4\nscale {factor}\n")
        assert mlc("compile", "--load-pass", str(_PLUGIN), model, "-o", str(library)).status == 0
        np.testing.assert_array_equal(package.load(library)(np.ones(4, np.float32)), np.full(4, factor))


def test_mistakes(model: str, mlc_opt: CommandLine, tmp_path: Path) -> None:
    Path(model).write_text("input 4\ntimes 2\n")
    wrong = mlc_opt("--load-pass", str(_PLUGIN), model)
    assert wrong.err == f"{model}:2: error: found 'times 2'; required: 'input N', 'scale F' or 'relu'\n"
    for text, message in (
        (
            "class Mine(Frontend):\n    name = 'mine'\n",
            "the frontend 'Mine' needs a name, the suffix of its files, and a",
        ),
        (
            "class Mine(Frontend):\n    name = 'onnx'\n    def open(self, path): ...\n",
            "two frontends are named 'onnx': one",
        ),
    ):
        plugin = tmp_path / "mine.py"
        plugin.write_text("from mlc.frontends.frontend import Frontend\n\n" + text)
        assert message in mlc_opt("--load-pass", str(plugin), model).err


def test_what_is_not_a_frontend(model: str) -> None:
    with plugin_scope():
        plugin_frontends.add("layers", lambda: LookupError, "the package 'bad'")
        with pytest.raises(UserError, match="frontend 'layers' of the package 'bad' is not a class that derives from"):
            open_model(model)


@pytest.mark.slow  # it installs a package
def test_an_installed_package(model: str, tmp_path: Path) -> None:
    """The entry point is named as the suffix: for other files nothing of the package is imported."""
    code = _PLUGIN.read_text().replace(
        "import hashlib", "import sys\n\nsys.stderr.write('IMPORTED\\n')\nimport hashlib"
    )
    (tmp_path / "layers.py").write_text(code)
    info = tmp_path / "layers-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: layers\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[mlc.frontends]\nlayers = layers:LayersFrontend\n")
    (tmp_path / "other.mlir").write_text("func.func private @f()")

    def run(file: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mlc.tools.mlc_opt", file]
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)

    assert "graph.relu" in (opened := run(model)).stdout and opened.stderr == "IMPORTED\n"
    assert run(str(tmp_path / "other.mlir")).stderr == ""
