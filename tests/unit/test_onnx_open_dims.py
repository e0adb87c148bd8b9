"""Models of ONNX with open dims: a case of each operator of the onnx package, and what real exporters write."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import mlc
from mlc.support.errors import UserError
from mlc.testing import onnx_conformance as conformance
from mlc.testing import onnx_open_dims as opened

_PARTS = 4
_TAKEN = (
    *("Add", "Concat", "Conv", "ConvTranspose", "DequantizeLinear", "Expand", "GRU", "Gather", "Gemm", "LSTM"),
    *("MatMul", "MaxPool", "Pad", "QuantizeLinear", "RNN", "ReduceMean", "Reshape", "Resize", "Scan", "Slice"),
    *("GatherElements", "Softmax", "Split", "Tile", "TopK", "Transpose", "Where"),
)
"""Operators of which some case is computed with open dims."""


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(_PARTS))
def test_a_case_of_each_operator(part: int) -> None:
    """What is not computed is refused: nothing after the data is taken for data."""
    for name in conformance.sample()[part::_PARTS]:
        wrong = [each for each in opened.run_case(name) if each.status in ("mismatch", "bug")]
        assert not wrong, wrong


@pytest.mark.slow
@pytest.mark.parametrize("operator", _TAKEN)
def test_operators_that_are_computed(operator: str) -> None:
    names = [n for n, c in conformance.cases().items() if c.model and c.model.graph.node[0].op_type == operator]
    assert any(each.status == "pass" for name in names for each in opened.run_case(name))


def _model(nodes: list[Any], weights: dict[str, Any], inputs: dict[str, list[str | int]]) -> Any:
    given = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()]
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    initial = [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "main", given, made, initial)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def _detector(rng: np.random.Generator) -> Any:
    """Features of three sizes, of which the smaller ones are enlarged and concatenated, with borders of all kinds."""

    def floats(*shape: int) -> Any:
        return (rng.standard_normal(shape) / 4).astype(np.float32)

    weights = {
        "w0": floats(8, 3, 3, 3),
        "w1": floats(8, 8, 3, 3),
        "w2": floats(8, 8, 3, 3),
        "w3": floats(4, 24, 1, 1),
        "w4": floats(4, 4, 2, 2),
        "none": np.zeros(0, np.float32),
        "twice": np.array([1, 1, 2, 2], np.float32),
        "around": np.array([0, 0, 1, 2, 0, 0, 3, 1]),
    }
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w0"], ["a"], pads=[1] * 4, strides=[2, 2]),
        node("Relu", ["a"], ["a1"]),
        node("Conv", ["a1", "w1"], ["b"], auto_pad="SAME_UPPER", strides=[2, 2]),
        node("HardSwish", ["b"], ["b1"]),
        node("Conv", ["b1", "w2"], ["c"], pads=[1] * 4, strides=[2, 2]),
        node("Resize", ["c", "", "twice"], ["up"], mode="nearest", coordinate_transformation_mode="asymmetric"),
        node("Concat", ["up", "b1"], ["d"], axis=1),
        node("Resize", ["d", "", "twice"], ["e"], mode="linear"),
        node("Concat", ["e", "a1"], ["f"], axis=1),
        node("Conv", ["f", "w3"], ["g"]),
        node("Pad", ["g", "around"], ["h"], mode="reflect"),
        node("ConvTranspose", ["h", "w4"], ["i"], strides=[2, 2]),
        node("AveragePool", ["i"], ["j"], kernel_shape=[3, 3], pads=[1] * 4, strides=[1, 2]),
        node("Sigmoid", ["j"], ["y"]),
    ]
    return _model(nodes, weights, {"x": ["n", 3, "h", "w"]})


def test_images_whose_extents_have_steps() -> None:
    rng = np.random.default_rng(0)
    model = _detector(rng)
    shapes = {"n": range(1, 3), "h": range(16, 65, 8), "w": range(8, 57, 16)}
    compiled = mlc.compile(model, shapes=shapes)
    assert [each.range for each in compiled.signature.inputs[1:]] == list(shapes.values())
    for n, h, w in ((1, 16, 8), (2, 64, 56), (1, 40, 24), (2, 24, 40)):
        x = rng.standard_normal((n, 3, h, w)).astype(np.float32)
        evaluator: Any = ReferenceEvaluator(model)
        (wanted,) = evaluator.run(None, {"x": x})
        np.testing.assert_allclose(compiled(x), wanted, rtol=1e-4, atol=1e-5)
    with pytest.raises(
        mlc.InputError, match="dim 2 of input 'x' is 20; the model was compiled for 'h' from 16 to 64 by 8"
    ):
        compiled(np.zeros((1, 3, 20, 24), np.float32))


def test_c_callers_get_a_status(tmp_path: Path) -> None:
    """Extents outside of the range, and between its steps, compute nothing."""
    model = _model([helper.make_node("Neg", ["x"], ["y"])], {}, {"x": ["n"]})
    compiled = mlc.compile(model, shapes={"n": range(4, 17, 4)})
    compiled.save(tmp_path / "neg.so")
    function = ctypes.CDLL(str(tmp_path / "neg.so")).mlc_main
    x, y, n, m = np.ones(16, np.float32), np.zeros(16, np.float32), np.zeros((), np.int64), np.zeros((), np.int64)
    inputs, outputs = ((ctypes.c_void_p * 2)(*(each.ctypes.data for each in arrays)) for arrays in ((x, n), (y, m)))
    workspace = np.zeros(4096 + compiled.signature.workspace_bytes, np.uint8)
    for extent, status in ((0, -3), (3, -3), (6, -3), (17, -3), (20, -3), (-4, -3), (4, 0), (12, 0), (16, 0)):
        y[:], n[...] = 0, extent
        assert function(inputs, outputs, ctypes.c_void_p(workspace.ctypes.data)) == status
        assert (y[: max(extent, 0)] == (-1 if status == 0 else 0)).all()


def test_sizes_that_need_steps_are_refused_without() -> None:
    with pytest.raises(UserError, match="equal for multiples of a number, give a range with steps"):
        mlc.compile(_detector(np.random.default_rng(0)), shapes={"n": 1, "h": range(16, 65), "w": range(8, 57)})


def test_networks_over_time() -> None:
    """Batch and time of recurrent networks are open, in both directions: states stay after the last step."""
    rng = np.random.default_rng(1)

    def floats(*shape: int) -> Any:
        return (rng.standard_normal(shape) / 2).astype(np.float32)

    weights = {"w": floats(2, 16, 3), "r": floats(2, 16, 4), "b": floats(2, 32), "v": floats(2, 12, 8)}
    weights |= {"s": floats(2, 12, 4), "rows": np.array([0, 0, -1])}
    node = helper.make_node
    nodes = [
        node("LSTM", ["x", "w", "r", "b"], ["a", "h", "c"], hidden_size=4, direction="bidirectional"),
        node("Transpose", ["a"], ["a1"], perm=[0, 2, 1, 3]),
        node("Reshape", ["a1", "rows"], ["a2"]),
        node("GRU", ["a2", "v", "s"], ["", "g"], hidden_size=4, direction="bidirectional"),
        node("Add", ["h", "g"], ["i"]),
        node("Mul", ["i", "c"], ["y"]),
    ]
    model = _model(nodes, weights, {"x": ["time", "batch", 3]})
    compiled = mlc.compile(model, shapes={"time": range(1, 10), "batch": range(1, 4)})
    for time, batch in ((1, 1), (9, 3), (4, 2), (7, 1)):
        x = rng.standard_normal((time, batch, 3)).astype(np.float32)
        fixed = mlc.compile(model, shapes={"time": time, "batch": batch})
        np.testing.assert_allclose(compiled(x), fixed(x), rtol=1e-5, atol=1e-6)
