"""What a person types or passes by mistake is answered in words that say what to write."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mlc
from mlc.support.errors import UserError

if TYPE_CHECKING:
    from tests.conftest import CommandLine

RELU = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def test_passes_that_are_no_text() -> None:
    wrong: Any = 3
    with pytest.raises(TypeError, match="found 3 as passes; required: their names in a text, such as 'fuse,cse'"):
        mlc.view(RELU).run(wrong)


def test_a_name_as_pass() -> None:
    wrong: Any = ["fuse"]
    message = r"found 'fuse' as pass; required: an object of a class of passes, such as FusePass\(\)"
    with pytest.raises(TypeError, match=message):
        mlc.PassManager(mlc.new_context()).run(mlc.parse(RELU), wrong)


def test_arrays_by_name() -> None:
    model = mlc.compile(RELU)
    with pytest.raises(mlc.InputError, match=r"found arrays by name, z; required: arrays in order, or model\.run\("):
        model(z=np.zeros(4, np.float32))


@pytest.mark.parametrize("package", ["torch", "jax"])
def test_frameworks_that_are_not_installed(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.startswith((f"mlc.frameworks.{package}", f"mlc.{package}"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    message = rf"mlc\.{package} needs the package {package} \(.*\); install it: pip install 'mlc\[{package}\]'"
    with pytest.raises(ModuleNotFoundError, match=message):
        __import__(f"mlc.frameworks.{package}")


def test_files_that_are_no_plugins(tmp_path: Path) -> None:
    (data := tmp_path / "data.onnx").write_bytes(b"\x08\x00\x12")
    words = r"plugin '.*data\.onnx' is not Python: found a byte that is zero; required: a text"
    with pytest.raises(UserError, match=words):
        mlc.load_pass(data)
    (dialect := tmp_path / "only_dialect.py").write_text(
        "from xdsl.ir import Dialect\nMine = Dialect('only_here', [], [])\n"
    )
    with pytest.raises(UserError, match="exports a Dialect and no Pass; load it by --load-dialect"):
        mlc.load_pass(dialect)


def test_a_plugin_in_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as caught:
        mlc.load_dialect("acme.py")
    assert caught.value.message == f"plugin 'acme.py' not found in {tmp_path}"


def test_a_word_that_is_near_a_choice(mlc: CommandLine) -> None:
    found = mlc("new", "dialekt", "foo")
    assert found.status == 1
    assert "found 'dialekt' as kind; it is one of dialect, pass; did you mean 'dialect'?" in found.err


def test_a_text_from_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from mlc.tools.mlc_opt import main

    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(io.BytesIO(RELU.encode())))
    assert main([]) == 0
    said = capsys.readouterr()
    assert said.err == "note: reads the text from this terminal; its end is Ctrl-D\n"
    assert "graph.relu" in said.out


def test_a_shape_of_another_rank(tmp_path: Path, mlc: CommandLine) -> None:
    onnx: Any = pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n", 3]) for n in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]), tmp_path / "m.onnx")
    found = mlc("compile", str(tmp_path / "m.onnx"), "--shape=x=2", "-o", str(tmp_path / "m.so"))
    message = "input 'x' has the shape ?x3, which 2 does not fit; required: x=?x3, with a number for each ?\n"
    assert message in found.err
