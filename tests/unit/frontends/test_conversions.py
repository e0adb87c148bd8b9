"""Functions that convert operators: one decorator for all sources, in a plugin's file as in mlc."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import mlc
from mlc.frontends.onnx import to_graph as onnx_to_graph
from mlc.frontends.operators.conversions import Converts
from mlc.frontends.stablehlo import to_graph as stablehlo_to_graph
from mlc.support.additions import plugin_scope
from mlc.support.errors import UserError
from mlc.support.python_warnings import FormerNameWarning

_RELU = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
_NEGATE = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
_X = np.array([-1, 0, 1, 2], np.float32)


@pytest.fixture(autouse=True)
def _scope() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    with plugin_scope():
        yield


def _load(folder: Path, name: str, text: str) -> None:
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    mlc.load_pass(file)


@pytest.mark.parametrize(
    ("source", "name", "program", "expected"),
    [("onnx", "Relu", _RELU, np.maximum(_X, 0)), ("stablehlo", "negate", _NEGATE, -_X)],
)
def test_a_higher_benefit_replaces_mlcs_own_function(
    tmp_path: Path, source: str, name: str, program: str, expected: Any
) -> None:
    text = f'from mlc.frontends.{source}.to_graph import converts\n\n@converts("{name}", benefit=2)\ndef f(b):\n'
    np.testing.assert_array_equal(mlc.compile(program)(_X), expected)
    with plugin_scope():
        _load(tmp_path, f"twice_{source}", f"{text}    return b.scaled(b[0], 2)\n")
        np.testing.assert_array_equal(mlc.compile(program)(_X), 2 * _X)
    np.testing.assert_array_equal(mlc.compile(program)(_X), expected)


def test_what_a_replacement_refuses_is_refused(tmp_path: Path) -> None:
    """The function that it replaces is not asked, though it could."""
    imports = "from mlc.frontends.onnx.to_graph import Unconvertible, converts\n"
    _load(
        tmp_path,
        "strict",
        f'{imports}\n@converts("Relu", benefit=2)\ndef relu(b):\n    raise Unconvertible("it is Monday")\n',
    )
    with pytest.raises(UserError, match=r"Relu \(version 14\): it is Monday$"):
        mlc.compile(_RELU)


@pytest.mark.parametrize(
    ("source", "converts", "options"),
    [
        ("onnx", onnx_to_graph.converts, "bounded, rounds_once"),
        ("stablehlo", stablehlo_to_graph.converts, "parts, bounded"),
    ],
)
def test_an_option_that_a_source_does_not_have(source: str, converts: Converts, options: str) -> None:
    message = f"conversions of 'convert-{source}-to-graph' have no option 'pairs'; they have domain, benefit, {options}"
    with pytest.raises(TypeError, match=f"^{message}$"):
        converts("Any", pairs=True)


def test_two_functions_for_one_operator() -> None:
    with pytest.raises(ValueError, match=r"two patterns lower 'onnx.Relu' in 'convert-onnx-to-graph': same and relu"):

        @onnx_to_graph.converts("Relu")
        def relu(b: onnx_to_graph.Node) -> onnx_to_graph.Results:  # pyright: ignore[reportUnusedFunction]
            return b[0]


_FORMER = '''
from mlc.dialects import graph, onnx
from mlc.frontends.onnx.to_graph import FromOnnx
from mlc.pass_manager.lowering import lowers


@lowers("convert-onnx-to-graph", onnx.op("ThriceSum", "com.example"))
class ThriceSum(FromOnnx):
    """`3 x + y`."""

    ROUNDS_ONCE = True

    def build(self, node, b):
        return b.add(b.mul(node[0], b.number(node.int("times", 3), node[0])), node[1])
'''
_SUM = """func.func @main(%x: tensor<2xf16>, %y: tensor<2xf16>) -> tensor<2xf16> {
  %0 = onnx.com.example.ThriceSum %x, %y : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}
"""


def test_a_class_with_build_still_converts_and_rounds_once(tmp_path: Path) -> None:
    with pytest.warns(FormerNameWarning, match="conversions of ONNX are functions now"):
        _load(tmp_path, "former", _FORMER)
    x, y = np.array([30000, 1], np.float16), np.array([-60000, 2], np.float16)  # 90000 is not an f16
    np.testing.assert_array_equal(cast(Any, mlc.compile(_SUM))(x, y), np.array([30000, 5], np.float16))


@pytest.mark.parametrize(
    ("source", "name", "program", "function", "message"),
    [
        ("onnx", "Relu", _RELU, "def f(node, b):", "'f' takes (node, b); required: (b), the call of the operator"),
        ("stablehlo", "negate", _NEGATE, "def f():", "'f' takes (); required: (b), the call of the operator"),
        ("onnx", "Relu", _RELU, "def f(b):", "'f', which converts 'onnx.Relu', returns 3; required: a value, or"),
        (
            "stablehlo",
            "negate",
            _NEGATE,
            "def f(b):",
            "'f', which converts 'stablehlo.negate', returns 3; required: a value, or a list of values",
        ),
    ],
)
def test_a_plugins_mistake_is_told_at_its_function(
    tmp_path: Path, source: str, name: str, program: str, function: str, message: str
) -> None:
    imports = f"from mlc.frontends.{source}.to_graph import converts\n\n"
    with pytest.raises(UserError, match=re.escape(message)) as error:
        _load(tmp_path, "wrong", f'{imports}@converts("{name}", benefit=2)\n{function}\n    return 3\n')
        mlc.compile(program)
    assert error.value.location is not None
    assert (Path(error.value.location.file).name, error.value.location.line) == ("wrong.py", 3)


def test_a_result_of_another_shape_than_torch_says(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    text = "from mlc.frontends.torch.to_graph import converts\n\n"
    text += '@converts("relu", benefit=2)\ndef relu(b, self):\n    return b.reduce("sum", self, [0])\n'
    _load(tmp_path, "summed", text)
    message = "'relu', which converts 'aten.relu', returns tensor<f32>; required: tensor<4xf32>"
    with pytest.raises(UserError, match=re.escape(message)):
        mlc.compile(_RELU.replace("onnx.Relu", "aten.relu"))
