"""Models of one node: what they become at the graph level computes what ONNX Runtime computes.

The reference of the graph level runs them, nothing is compiled.
"""

# The package onnx has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context
from mlc.frontends.onnx.reader import read_onnx
from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import ConvertOnnxToGraphPass
from mlc.reference.interpreter import run_function
from mlc.support.errors import UserError
from mlc.support.functions import extents_in
from mlc.tests.unit.frontends.onnx.operator_cases import CASES, Case, Known, X, floats

onnx: Any = pytest.importorskip("onnx")
runtime: Any = pytest.importorskip("onnxruntime")
h: Any = onnx.helper
Array = NDArray[Any]


def _model(case: Case) -> tuple[Any, dict[str, Array]]:
    """The model, and its inputs by their names."""
    op, operands, options = case
    attributes = {name: value for name, value in options.items() if name not in ("results", "opset")}
    names = ["" if operand is None else f"x{i}" for i, operand in enumerate(operands)]
    given = {n: o for n, o in zip(names, operands, strict=True) if o is not None and not isinstance(o, Known)}
    known = {n: o.data for n, o in zip(names, operands, strict=True) if isinstance(o, Known)}
    results = [f"y{i}" for i in range(options.get("results", 1))]
    kind = h.np_dtype_to_tensor_dtype
    graph = h.make_graph(
        [h.make_node(op, names, results, **attributes)],
        "node",
        [h.make_tensor_value_info(name, kind(a.dtype), a.shape) for name, a in given.items()],
        [h.make_empty_tensor_value_info(name) for name in results],
        [onnx.numpy_helper.from_array(np.asarray(data), name) for name, data in known.items()],
    )
    opsets = [h.make_opsetid("", options.get("opset", 20))]
    return h.make_model(graph, opset_imports=opsets, ir_version=9), given


def _found(model: Any, inputs: list[Array], folder: Path) -> list[Array]:
    """What the graph level computes; results that are as long as data says are cut."""
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    ctx = new_context()
    module = read_onnx(folder / "model.onnx", ctx)
    ConvertOnnxToGraphPass().run(module, ctx)
    found = run_function(module, "main", inputs, ctx.resources)
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    places = [extents_in(mark.data) for mark in function.res_attrs or ()]
    extents = [[slice(None) if place < 0 else slice(int(found[place])) for place in each] for each in places]
    return [array[*each] for array, each in zip(found, extents, strict=False)][: len(model.graph.output)]


@pytest.mark.parametrize("case", CASES, ids=[f"{i}: {case[0]}" for i, case in enumerate(CASES)])
def test_operator(case: Case, tmp_path: Path) -> None:
    model, given = _model(case)
    found = _found(model, list(given.values()), tmp_path)
    wanted = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, given)
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("backwards", [(0, 0, 0, 1), (1, 0, 1, 0), (0, 1, 0, 0), (1, 1, 1, 1)])
def test_scans_in_both_directions(backwards: tuple[int, int, int, int], tmp_path: Path) -> None:
    """Two inputs and two stacks, along several axes."""
    kind, empty = onnx.TensorProto.FLOAT, h.make_empty_tensor_value_info
    body = h.make_graph(
        [
            h.make_node("Add", ["s", "a"], ["t"]),
            h.make_node("Mul", ["t", "c"], ["u"]),
            h.make_node("Identity", ["t"], ["v"]),
        ],
        "body",
        [h.make_tensor_value_info(name, kind, [2]) for name in "sac"],
        [empty(name) for name in ("t", "u", "v")],
    )
    node = h.make_node(
        "Scan", ["s0", "x", "y"], ["last", "us", "vs"], body=body, num_scan_inputs=2, scan_input_axes=[0, 1],
        scan_output_axes=[1, 0], scan_input_directions=backwards[:2], scan_output_directions=backwards[2:],
    )  # fmt: skip
    given = {"s0": floats(2), "x": floats(4, 2, seed=1), "y": floats(2, 4, seed=2)}
    inputs = [h.make_tensor_value_info(name, kind, a.shape) for name, a in given.items()]
    graph = h.make_graph([node], "scan", inputs, [empty(name) for name in node.output])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 20)], ir_version=9)
    found = _found(model, list(given.values()), tmp_path)
    x, y = (a[::-1] if back else a for a, back in zip((given["x"], given["y"].T), backwards[:2], strict=True))
    sums = given["s0"] + np.cumsum(x, 0)
    us, vs = (a[::-1] if back else a for a, back in zip((sums * y, sums), backwards[2:], strict=True))
    for one, other in zip(found, (sums[-1], us.T, vs), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def _run(nodes: list[Any], given: dict[str, Array], known: dict[str, Any], results: str, folder: Path) -> list[Array]:
    """What several nodes compute, the results of which have names of one letter."""
    kind, empty = h.np_dtype_to_tensor_dtype, h.make_empty_tensor_value_info
    inputs = [h.make_tensor_value_info(name, kind(a.dtype), a.shape) for name, a in given.items()]
    weights = [onnx.numpy_helper.from_array(np.asarray(data), name) for name, data in known.items()]
    graph = h.make_graph(nodes, "nodes", inputs, [empty(name) for name in results], weights)
    return _found(h.make_model(graph, opset_imports=[h.make_opsetid("", 20)], ir_version=9), [*given.values()], folder)


@pytest.mark.parametrize("chosen", [(), (1,), (0, 2)])
def test_means_of_as_many_as_data_says(chosen: tuple[int, ...], tmp_path: Path) -> None:
    mask = np.isin(np.arange(3), chosen)
    nodes = [
        h.make_node("Compress", ["x", "c"], ["p"], axis=1),
        h.make_node("ReduceMean", ["p", "a"], ["m"], keepdims=0),
    ]
    (found,) = _run(nodes, {"x": X, "c": mask}, {"a": np.array([1, 2])}, "m", tmp_path)
    with np.errstate(all="ignore"):
        wanted = X[:, mask].sum((1, 2)) / np.float32(4 * len(chosen))
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_places_behind_the_last_one_are_no_slice(tmp_path: Path) -> None:
    nodes = [h.make_node("Gather", ["x", "i"], ["y"], axis=1)]
    with pytest.raises(UserError, match="index 3 is out of range for axis 1 of extent 3; required: -3 to 2"):
        _run(nodes, {"x": X}, {"i": np.array([1, 2, 3])}, "y", tmp_path)


@pytest.mark.parametrize("begins", [True, False])
@pytest.mark.parametrize("most", ["", "n"])
def test_known_conditions(most: str, begins: bool, tmp_path: Path) -> None:
    """A loop that does not begin, and one that ends after a step; a branch that is known."""
    kind, value = onnx.TensorProto, h.make_tensor_value_info
    scalars = [value("i", kind.INT64, []), value("c", kind.BOOL, [])]
    body = h.make_graph(
        [h.make_node("Add", ["s", "s"], ["t"]), h.make_node("Not", ["c"], ["d"])],
        "body",
        [*scalars, value("s", kind.FLOAT, [2, 3, 4])],
        [value("d", kind.BOOL, []), h.make_empty_tensor_value_info("t")],
    )
    branches = {
        f"{name}_branch": h.make_graph([h.make_node(op, ["y"], ["o"])], name, [], [h.make_empty_tensor_value_info("o")])
        for name, op in (("then", "Neg"), ("else", "Abs"))
    }
    nodes = [h.make_node("Loop", [most, "b", "x"], ["y"], body=body), h.make_node("If", ["b"], ["z"], **branches)]
    (found,) = _run(nodes, {"x": X}, {"b": np.array(begins), "n": np.array(3)}, "z", tmp_path)
    np.testing.assert_array_equal(found, -2 * X if begins else abs(X))
