"""Models with open dims, compiled once: for all extents the numbers are those that the onnx package computes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import mlc
from mlc.runtime import InputError
from mlc.support.errors import UserError

from .open_graphs import EXTENTS, MOST_BATCH, MOST_SEQ, OpenGraph, expected, inputs_for

Array = NDArray[Any]
_RANGES = {"batch": range(1, MOST_BATCH + 1), "seq": range(1, MOST_SEQ + 1)}


def _check(seed: int) -> None:
    model = OpenGraph(seed).build(3 + seed % 5)
    compiled = mlc.compile(model, shapes=_RANGES, opt_level=seed % 4)
    for batch, seq in EXTENTS:
        inputs = inputs_for(seed, batch, seq)
        found = compiled(*(inputs[each.name] for each in compiled.inputs))
        wanted = expected(model, inputs)
        assert found.shape == wanted.shape
        scale = max(1.0, float(np.abs(wanted[np.isfinite(wanted)]).max(initial=0)))
        np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=2e-4 * scale, err_msg=f"{seed}: {batch}x{seq}")


@pytest.mark.parametrize("seed", range(6))
def test_random_models(seed: int) -> None:
    _check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 40))
def test_more_random_models(seed: int) -> None:
    _check(seed)


def _model(nodes: list[Any], weights: dict[str, Array], shape: list[str | int]) -> Any:
    given = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    initial = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "main", given, made, initial)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _images(rng: np.random.Generator) -> Any:
    """A residual network of two resolutions: windows of several strides, poolings, a mean over pixels."""
    weights = {
        "w0": rng.standard_normal((8, 3, 3, 3)).astype(np.float32),
        "w1": rng.standard_normal((8, 8, 3, 3)).astype(np.float32) / 8,
        "w2": rng.standard_normal((8, 8, 1, 1)).astype(np.float32),
        "w3": rng.standard_normal((8, 1, 5, 5)).astype(np.float32),
        "n": np.abs(rng.standard_normal(8)).astype(np.float32) + 1,
    }
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["a"], pads=[1] * 4, strides=[2, 2]),
        helper.make_node("BatchNormalization", ["a", "n", "n", "n", "n"], ["a1"]),
        helper.make_node("MaxPool", ["a1"], ["b"], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4),
        helper.make_node("Conv", ["b", "w1"], ["c"], pads=[1] * 4),
        helper.make_node("Add", ["b", "c"], ["d"]),
        helper.make_node("Conv", ["d", "w2"], ["e"], strides=[2, 1]),
        helper.make_node("Conv", ["e", "w3"], ["f"], group=8, pads=[2] * 4),
        helper.make_node("AveragePool", ["f"], ["g"], kernel_shape=[2, 2], pads=[1] * 4, count_include_pad=1),
        helper.make_node("Relu", ["g"], ["h"]),
        helper.make_node("GlobalAveragePool", ["h"], ["i"]),
        helper.make_node("Mul", ["h", "i"], ["y"]),
    ]
    return _model(nodes, weights, ["b", 3, "h", "w"])


def test_images() -> None:
    model = _images(np.random.default_rng(0))
    compiled = mlc.compile(model, shapes={"b": range(1, 3), "h": range(5, 40), "w": range(9, 34)})
    for number, (b, h, w) in enumerate([(1, 5, 9), (2, 39, 33), (1, 17, 32), (2, 8, 31), (1, 38, 10)]):
        x = np.random.default_rng(number).standard_normal((b, 3, h, w)).astype(np.float32)
        wanted = expected(model, {"x": x})
        np.testing.assert_allclose(compiled(x), wanted, rtol=1e-3, atol=1e-3 * float(np.abs(wanted).max()))


def _softmax() -> Any:
    return _model([helper.make_node("Softmax", ["x"], ["y"], axis=-1)], {}, ["n", "m"])


def test_what_lies_after_the_data_has_no_influence() -> None:
    model = mlc.compile(_softmax(), shapes={"n": range(5), "m": range(1, 9)})
    model(np.full((4, 8), np.nan, np.float32))  # leaves NaN in the memory of the next call's inputs
    x = np.array([[1.0, -np.inf, 2.0], [np.inf, 0.0, -0.0]], np.float32)
    with np.errstate(invalid="ignore"):
        shifted = np.exp(x - x.max(-1, keepdims=True))
        wanted = shifted / shifted.sum(-1, keepdims=True)
    np.testing.assert_allclose(model(x), wanted, rtol=1e-5)
    assert model(np.zeros((0, 3), np.float32)).shape == (0, 3)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((5, 3), "dim 0 of input 'x' is 5; the model was compiled for 'n' from 1 to 4"),
        ((0, 3), "dim 0 of input 'x' is 0; the model was compiled for 'n' from 1 to 4"),
        ((2, 9), "dim 1 of input 'x' is 9; the model was compiled for 'm' from 2 to 8"),
        ((2, 3, 1), r"input 'x' has shape \(2, 3, 1\); required: 2 dims"),
    ],
)
def test_extents_outside_of_the_range(shape: tuple[int, ...], words: str) -> None:
    model = mlc.compile(_softmax(), shapes={"n": range(1, 5), "m": range(2, 9)})
    with pytest.raises(InputError, match=words):
        model(np.zeros(shape, np.float32))


def test_inputs_that_do_not_fit_together() -> None:
    nodes = [helper.make_node("Add", ["x", "z"], ["y"])]
    model = _model(nodes, {}, ["n", 4])
    model.graph.input.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, ["n", 4]))
    compiled = mlc.compile(model, shapes={"n": range(1, 9)})
    assert [each.name for each in compiled.inputs] == ["x", "z"]
    with pytest.raises(InputError, match="dim 0 of input 'z' is 3, and dim 0 of input 'x' is 2; both are 'n'"):
        compiled(np.zeros((2, 4), np.float32), np.zeros((3, 4), np.float32))
    with pytest.raises(InputError, match=r"input 'x' has shape \(2, 5\); required: float32\[≤8, 4\]"):
        compiled(np.zeros((2, 5), np.float32), np.zeros((2, 4), np.float32))
    with pytest.raises(InputError, match="has dtype float64"):
        compiled(np.zeros((2, 4)), np.zeros((2, 4), np.float32))
    with pytest.raises(InputError, match="takes 2 inputs"):
        compiled(np.zeros((2, 4), np.float32))
    x = np.ones((2, 4), np.float32)
    np.testing.assert_array_equal(compiled.run({"z": x, "x": x[:, ::-1]})["y"], x * 2)


@pytest.mark.parametrize(("extent", "status"), [(0, -3), (1, 0), (8, 0), (9, -3), (-1, -3), (1 << 62, -3)])
def test_the_c_function_refuses_what_is_outside(extent: int, status: int) -> None:
    model = mlc.compile(_model([helper.make_node("Relu", ["x"], ["y"])], {}, ["n"]), shapes={"n": range(1, 9)})
    import ctypes

    x, y, extents = np.full(8, -1, np.float32), np.full(8, 7, np.float32), np.zeros(1, np.int64)
    given = np.array([extent], np.int64)
    inputs = (ctypes.c_void_p * 2)(x.ctypes.data, given.ctypes.data)
    outputs = (ctypes.c_void_p * 2)(y.ctypes.data, extents.ctypes.data)
    function: Any = getattr(ctypes.CDLL(str(model.path)), "mlc_main")  # noqa: B009
    workspace = np.zeros(max(model.signature.workspace_bytes, 1) + 64, np.uint8)
    assert function(inputs, outputs, ctypes.c_void_p(workspace.ctypes.data + -workspace.ctypes.data % 64)) == status
    assert (y[0] == 0) == (status == 0)


def test_dims_that_are_joined_and_split() -> None:
    shape = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Slice", ["shape", "zero", "one"], ["n"]),
        helper.make_node("Slice", ["shape", "one", "two"], ["m"]),
        helper.make_node("Concat", ["m", "n", "two"], ["turned"], axis=0),
        helper.make_node("Reshape", ["x", "flat"], ["f"]),
        helper.make_node("Reshape", ["f", "turned"], ["y"]),
    ]
    weights = {"flat": np.array([-1]), **{w: np.array([i]) for i, w in enumerate(("zero", "one", "two"))}}
    compiled = mlc.compile(_model(shape, weights, ["n", "m", 2]), shapes={"n": range(1, 6), "m": range(1, 8)})
    for n, m in ((1, 1), (5, 7), (3, 7), (5, 2), (2, 3)):
        x = np.random.default_rng(n).standard_normal((n, m, 2)).astype(np.float32)
        np.testing.assert_array_equal(compiled(x), x.reshape(m, n, 2))
    with pytest.raises(UserError, match="required: extents of 1 and more"):
        mlc.compile(_model(shape, weights, ["n", "m", 2]), shapes={"n": range(6), "m": range(1, 8)})


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([helper.make_node("Reshape", ["x", "six"], ["y"])], "m cannot become 2x3|the number of elements is another"),
        ([helper.make_node("Multinomial", ["x"], ["y"], sample_size=2)], "extent of dim 0 of .* is known at the call"),
        ([helper.make_node("MaxPool", ["x4"], ["y"], kernel_shape=[1, 5])], "its window has 5 elements"),
    ],
    ids=["size", "no rule", "window"],
)
def test_what_is_not_proved_is_refused(nodes: list[Any], words: str) -> None:
    weights = {
        "six": np.array([2, 3]),
        "two": np.array([2, 1]),
        "one": np.array([0, 1]),
    }
    view = helper.make_node("Unsqueeze", ["x", "one"], ["x4"])
    with pytest.raises(UserError, match=words):
        mlc.compile(_model([view, *nodes], weights, ["n", "m"]), shapes={"n": range(1, 5), "m": range(2, 9)})


def test_bindings_that_say_no_range() -> None:
    model = _softmax()
    with pytest.raises(UserError, match="found extents from 0 to 0"):
        mlc.compile(model, shapes={"n": range(1), "m": 3})
    with pytest.raises(TypeError, match="found range"):
        mlc.compile(model, shapes={"n": range(9, 1, -2), "m": 3})
    with pytest.raises(UserError, match=r"'n' is given 1..4 among several shapes"):
        mlc.compile(model, shapes={"n": [range(1, 5), 8], "m": 3})
    one = mlc.compile(model, shapes={"n": range(2, 3), "m": 3})
    assert math.prod(one.inputs[0].shape) == 6
    assert onnx.__version__


def test_only_models_of_onnx_have_ranges() -> None:
    text = """func.func @main(%x: tensor<8x4xf32>) -> tensor<4xf32> {
      %y = graph.reduce sum %x axes [0] : tensor<8x4xf32> -> tensor<4xf32>
      return %y : tensor<4xf32>
    }"""
    with pytest.raises(UserError, match=r"found 1\.\.8 for a dim of 'x'; a range of extents is for models of ONNX"):
        mlc.compile(text, shapes={"x": (range(1, 9), 4)})
    with pytest.raises(UserError, match=r"found 1\.\.8 for 'm'; a model for several shapes has known extents"):
        mlc.compile(_softmax(), shapes={"n": [1, 2], "m": range(1, 9)})
    with pytest.raises(UserError, match=r"found 1\.\.8 for 'm'; what is quantised has known extents"):
        mlc.quantize(_softmax(), shapes={"n": 1, "m": range(1, 9)})


def test_a_range_beside_dims_that_stay_open() -> None:
    model = mlc.compile(_softmax(), shapes={"m": range(1, 9)})
    x = np.random.default_rng(0).standard_normal((3, 5)).astype(np.float32)
    wanted = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
    np.testing.assert_allclose(model(x), wanted, rtol=1e-5)
    np.testing.assert_allclose(model(x[:, :4]).shape, (3, 4))
    with pytest.raises(InputError, match="required: x"):
        model(np.zeros((3, 9), np.float32))


def test_long_sums_of_a_range_whose_most_is_odd() -> None:
    """Sums are split into blocks, of which the last one is shorter than what extents are rounded up to."""
    weights = {"axis": np.array([0])}
    nodes = [
        helper.make_node("ReduceSum", ["x", "axis"], ["s"], keepdims=0),
        helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0]),
        helper.make_node("MatMul", ["t", "x"], ["m"]),
        helper.make_node("Softmax", ["t"], ["p"], axis=1),
        helper.make_node("MatMul", ["p", "x"], ["q"]),
        helper.make_node("Add", ["m", "q"], ["a"]),
        helper.make_node("Mul", ["a", "s"], ["y"]),
    ]
    model = _model(nodes, weights, ["n", 5])
    compiled = mlc.compile(model, shapes={"n": range(1, 2000)})
    for rows in (1, 15, 16, 1983, 1984, 1985, 1999):
        x = np.random.default_rng(rows).standard_normal((rows, 5)).astype(np.float32)
        wanted = expected(model, {"x": x})
        np.testing.assert_allclose(compiled(x), wanted, rtol=1e-3, atol=1e-3 * np.abs(wanted).max(), err_msg=f"{rows}")
